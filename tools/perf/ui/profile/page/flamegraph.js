// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0
// Draws the stacks in #profile, which ui/profile/json.c describes.
"use strict";

const profile = JSON.parse(document.getElementById("profile").textContent);
const colors = { comm: "#b8bec7", user: "#f2b85c", kernel: "#ef8354", inlined: "#9ccc8b" };
const element = id => document.getElementById(id);
const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
let chart, total, unit;

// The flat list becomes a tree; an event without samples is a root alone.
function tree(event) {
	const root = { name: "all", kind: "comm", value: event.period, children: [] };
	const nodes = event.stacks.map(node => ({ ...node, children: [] }));

	nodes.forEach(node => ("parent" in node ? nodes[node.parent] : root).children.push(node));
	return root;
}

// Periods of clocks and sleeps are a time, others count what the event is called.
function weight(period) {
	const steps = [[1e9, "s"], [1e6, "ms"], [1e3, "us"]].find(([ns]) => period >= ns) || [1, "ns"];

	if (unit !== "nanoseconds")
		return `period ${period.toLocaleString()}`;
	return `${(period / steps[0]).toLocaleString(undefined, { maximumSignificantDigits: 4 })} ${steps[1]}`;
}

function describe(node) {
	const data = node.data, percent = total ? (100 * data.value / total).toFixed(2) : "0.00";
	const where = data.dso ? ` (${data.dso})` : "", inlined = data.kind === "inlined" ? ", inlined" : "";

	return `${data.name}${where}${inlined}: ${percent} %, ${weight(data.value)}` +
		(data.samples ? `, ${data.samples.toLocaleString()} samples end here` : "");
}

function show_search() {
	const text = element("search").value.trim();

	element("matched").textContent = "";
	if (!text) {
		chart.clear();
		return;
	}
	chart.search(text);
}

function draw(index) {
	const event = profile.events[index], box = element("chart");

	box.replaceChildren();
	total = event.period;
	unit = event.unit;
	element("facts").textContent = `${event.samples.toLocaleString()} samples, ${weight(event.period)}` +
		(profile.hostname ? `, on ${profile.hostname}` : "") + (profile.cmdline ? `: ${profile.cmdline}` : "");
	chart = flamegraph().width(Math.max(box.clientWidth, 320)).cellHeight(19).minFrameSize(1).transitionDuration(still ? 0 : 150)
		.inverted(element("down").checked).sort(false).selfValue(false)
		.setColorMapper((node, original) => node.highlight ? "#e879f9" : colors[node.data.kind] || original)
		.label(describe).setDetailsElement(element("details"))
		.tooltip(flamegraph.tooltip.defaultFlamegraphTooltip().html(node => describe(node).replace(/[&<>]/g, c => `&#${c.charCodeAt(0)};`)))
		.setSearchMatch((node, term) => node.data.name.includes(term) || (node.data.dso || "") === term)
		.setSearchHandler((found, sum) => {
			element("matched").textContent = `${found.length} frames, ${total ? (100 * sum / total).toFixed(2) : "0.00"} %`;
		});
	d3.select(box).datum(tree(event)).call(chart);
	// Deep stacks are higher than the window, and their roots are what tells something first.
	window.scrollTo(0, element("down").checked ? 0 : document.documentElement.scrollHeight);
	show_search();
}

profile.events.forEach((event, i) => element("event").add(new Option(event.name, i)));
element("event").hidden = profile.events.length < 2;
document.title = `${profile.events.map(event => event.name).join(", ")} - flame graph`;
element("title").textContent = profile.events.length === 1 ? profile.events[0].name : "Flame graph";
element("event").addEventListener("change", () => draw(element("event").value));
element("down").addEventListener("change", () => draw(element("event").value || 0));
element("search").addEventListener("input", show_search);
element("reset").addEventListener("click", () => chart.resetZoom());
document.addEventListener("keydown", event => {
	if (event.key === "/" && document.activeElement !== element("search")) {
		event.preventDefault();
		element("search").focus();
	} else if (event.key === "Escape") {
		element("search").value = "";
		show_search();
		chart.resetZoom();
	}
});
let resizing;
window.addEventListener("resize", () => {
	clearTimeout(resizing);
	resizing = setTimeout(() => draw(element("event").value || 0), 200);
});
if (profile.events.length)
	draw(0);
