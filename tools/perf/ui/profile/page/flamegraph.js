// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0
// Draws the stacks in #profile, which ui/profile/json.c describes, or those of a part of the time (timeline.js).
"use strict";

const profile = JSON.parse(document.getElementById("profile").textContent);
const colors = { user: "#f2b85c", kernel: "#ef8354", inlined: "#9ccc8b", jit: "#6fb7ad", interpreted: "#93a9e6", comm: "#b8bec7" };
const kinds = { user: "user", kernel: "kernel", inlined: "inlined", jit: "JIT", interpreted: "interpreted", comm: "command" };
// Wall-clock time has states below all stacks: a frame has the color of the one in which it spent most.
const states = { "[user]": "#f2b85c", "[kernel]": "#ef8354", "[running]": "#e8a06a", "[runnable]": "#e5d352", "[sleeping]": "#8fb8de",
	"[disk]": "#b392c9", "[lock]": "#e07a9a", "[futex]": "#e8a0b8", "[idle]": "#c9d6df", "[stopped]": "#a0a0a0", "[unknown]": "#d0d0d0" };
const element = id => document.getElementById(id);
const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
const compared = "old" in profile; // with an older recording: red has a larger share than there, blue a smaller one
const LISTED = 200; // of the frames that are gone
const timed = profile.events.some(event => "threads" in event);
const FILES = 12; // in the key, those with the largest sums
let chart, total, old_total, largest, unit, timeline, chosen = profile.colors, by;

// Callers come before callees in the list, so from its end on each frame is complete.
function color_by_state(root, nodes) {
	const all = [root, ...nodes];

	if (!nodes.some(node => node.kind === "state"))
		return;
	all.forEach(node => { node.spent = {}; });
	all.reverse().forEach(node => {
		if (node.kind === "state")
			node.spent[node.name] = node.value;
		node.children.forEach(child => Object.entries(child.spent).forEach(([state, value]) => {
			node.spent[state] = (node.spent[state] || 0) + value;
		}));
		node.state = Object.keys(node.spent).reduce((most, state) => node.spent[state] > (node.spent[most] || 0) ? state : most, "");
	});
}

function draw_key(root) {
	const spent = root.spent || {}, key = element("states");

	element("kinds").hidden = compared || by === "state";
	element("kinds").replaceChildren(...(by === "file" ? key_of_files(root) : key_of_kinds(root)));
	key.hidden = !root.spent;
	key.replaceChildren(...Object.keys(spent).sort((a, b) => spent[b] - spent[a]).map(state =>
		key_item(states[state], `${state.slice(1, -1)} ${weight(spent[state])}`)));
}

function key_item(color, text) {
	const item = document.createElement("span"), box = document.createElement("i");

	box.style.background = color;
	item.append(box, text);
	return item;
}

function key_of_kinds(root) {
	const seen = new Set();

	walk(root, node => seen.add(node.kind));
	return Object.keys(kinds).filter(kind => seen.has(kind)).map(kind => key_item(colors[kind], kinds[kind]));
}

function key_of_files(root) {
	const sums = new Map();

	walk(root, node => {
		const dso = node.kind === "state" ? node.caller.dso : node.dso; // wall-clock time is that of the states below a frame

		if (dso)
			sums.set(dso, (sums.get(dso) || 0) + (node.self || 0));
	});
	return [...sums.keys()].sort((a, b) => sums.get(b) - sums.get(a)).slice(0, FILES).map(dso =>
		key_item(color_of_file(dso), `${dso} ${share(sums.get(dso), total).toFixed(1)} %`));
}

// The same one in each page: by the name. The kernel keeps its own.
function color_of_file(dso) {
	let hash = 2166136261;

	if (dso.startsWith("["))
		return colors.kernel;
	for (const c of dso)
		hash = Math.imul(hash ^ c.codePointAt(0), 16777619) >>> 0;
	return `hsl(${hash % 300 + 40}, ${55 + (hash >>> 9) % 25}%, ${66 + (hash >>> 15) % 12}%)`;
}

function color_of(data) {
	if ((by === "state" || data.kind === "state") && states[data.state])
		return states[data.state];
	return by === "file" && data.dso ? color_of_file(data.dso) : colors[data.kind];
}

// Wall-clock time begins with its states, which other events do not have.
function choose_colors(root) {
	by = chosen && (chosen !== "state" || root.spent) ? chosen : root.spent ? "state" : "kind";
	element("by").hidden = compared;
	element("by").value = by;
	element("by").querySelector("[value=state]").hidden = !root.spent;
}

// The flat list becomes a tree; an event without samples is a root alone.
function tree(event) {
	const root = { name: "all", kind: "comm", value: event.period, children: [] };
	const nodes = event.stacks.map(node => ({ ...node, children: [], gone: [] }));

	root.old = event.old_period;
	root.gone = [];
	nodes.forEach(node => {
		node.caller = "parent" in node ? nodes[node.parent] : root;
		(node.value || !compared ? node.caller.children : node.caller.gone).push(node);
	});
	if (!compared)
		color_by_state(root, nodes);
	return root;
}

const share = (period, of) => of ? 100 * period / of : 0;
const change = data => share(data.value, total) - share(data.old, old_total);
const signed = percent => `${percent < 0 ? "\u2212" : "+"}${Math.abs(percent).toFixed(2)}`;

// From the colour of no change to that of the largest one; a small change is still seen.
function color_of_change(data) {
	const difference = change(data), to = difference > 0 ? [228, 87, 46] : [61, 126, 217], from = [230, 227, 220];
	const part = Math.abs(difference) < 0.005 || !largest ? 0 : 0.15 + 0.85 * Math.abs(difference) / largest;

	return `rgb(${from.map((c, i) => Math.round(c + (to[i] - c) * part)).join()})`;
}

function walk(node, visit) {
	for (const todo = [node]; todo.length;) {
		const next = todo.pop();

		visit(next);
		todo.push(...next.children);
	}
}

// The first frame of each stack that only the older recording has: what lies above it is gone with it.
function list_gone(root) {
	const gone = [], list = element("gone").querySelector("ol");
	let all = 0;

	walk(root, node => gone.push(...node.gone));
	gone.sort((a, b) => b.old - a.old);
	gone.forEach(node => all += node.old);
	element("gone").hidden = !gone.length;
	element("gone").querySelector("summary").textContent = `${gone.length} frames are only in ${profile.old}: ` +
		`${share(all, old_total).toFixed(2)} % of it` + (gone.length > LISTED ? `; the largest ${LISTED}:` : "");
	list.replaceChildren(...gone.slice(0, LISTED).map(node => {
		const path = [], item = document.createElement("li"), button = document.createElement("button"), percent = document.createElement("b");

		for (let frame = node; frame !== root; frame = frame.caller)
			path.unshift(frame.name);
		percent.textContent = `${share(node.old, old_total).toFixed(2)} %`;
		button.type = "button";
		button.append(percent, path.join(" > "));
		// Show where it was.
		button.addEventListener("click", () => chart.zoomTo(find_frame(node.caller)));
		item.append(button);
		return item;
	}));
}

const find_frame = data => [...document.querySelectorAll("#chart g.frame")].map(g => g.__data__).find(node => node.data === data) ||
	document.querySelector("#chart g.frame").__data__;

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

	return `${data.name}${where}${inlined}: ${percent} %, ` +
		(compared ? `${share(data.old, old_total).toFixed(2)} % before (${signed(change(data))}), ` : "") + weight(data.value) +
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
	const box = element("chart");

	unit = profile.events[index].unit;
	if (timeline)
		timeline.draw_maps(profile.events[index]);
	const event = timeline ? timeline.choose(profile.events[index]) : profile.events[index];

	box.replaceChildren();
	const root = tree(event);

	choose_colors(root);
	total = event.period;
	old_total = event.old_period;
	largest = 0;
	if (compared) {
		walk(root, node => largest = Math.max(largest, Math.abs(change(node))));
		list_gone(root);
	}
	element("facts").textContent = `${event.samples.toLocaleString()} samples, ${weight(event.period)}` +
		(compared ? `; before, in ${profile.old}: ${event.old_samples.toLocaleString()} samples, ${weight(event.old_period)}` : "") +
		(profile.hostname ? `, on ${profile.hostname}` : "") + (profile.cmdline ? `: ${profile.cmdline}` : "");
	chart = flamegraph().width(Math.max(box.clientWidth, 320)).cellHeight(19).minFrameSize(1).transitionDuration(still ? 0 : 150)
		.inverted(element("down").checked).sort(false).selfValue(false)
		.setColorMapper((node, original) => node.highlight ? "#e879f9" :
			compared ? color_of_change(node.data) : color_of(node.data) || original)
		.label(describe).setDetailsElement(element("details"))
		.tooltip(flamegraph.tooltip.defaultFlamegraphTooltip().html(node => describe(node).replace(/[&<>]/g, c => `&#${c.charCodeAt(0)};`)))
		.setSearchMatch((node, term) => node.data.name.includes(term) || (node.data.dso || "") === term)
		.setSearchHandler((found, sum) => {
			element("matched").textContent = `${found.length} frames, ${total ? (100 * sum / total).toFixed(2) : "0.00"} %`;
		});
	d3.select(box).datum(root).call(chart);
	draw_key(root);
	// Deep stacks are higher than the window, and their roots are what tells something first.
	if (!timeline)
		window.scrollTo(0, element("down").checked ? 0 : document.documentElement.scrollHeight);
	show_search();
}

profile.events.forEach((event, i) => element("event").add(new Option(event.name, i)));
element("event").hidden = profile.events.length < 2;
element("changes").hidden = !compared;
document.title = `${profile.events.map(event => event.name).join(", ")} - ${timed ? "timeline" : "flame graph"}`;
element("title").textContent = profile.events.length === 1 ? profile.events[0].name : timed ? "Timeline" : "Flame graph";
if (timed)
	timeline = make_timeline(profile, states, element, weight, () => draw(element("event").value || 0));
element("event").addEventListener("change", () => draw(element("event").value));
element("by").addEventListener("change", () => {
	chosen = element("by").value;
	draw(element("event").value || 0);
});
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
