// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0
// The maps of time above the flame graph, of the data that ui/profile/timeline-page.c describes. A range that is selected in them becomes
// an event of its own, which flamegraph.js draws. Times are counted in cells.
"use strict";

function make_timeline(profile, states, element, weight_of, redraw) {
	const KINDS = ["comm", "user", "kernel", "inlined", "state", , , "jit", "interpreted"]; // profile-json.h
	const GRID_ROW = 5, THREAD_ROW = 15, LABEL = 190, BOTTOM = 18, LEAST = 2; // pixels; LEAST: of a column
	const grid = element("grid"), rows = element("threads");
	let event, selected = null, anchor = null, cursor = { cell: 0, row: 0 }, grid_place, rows_place;

	const clamp = (n, low, high) => Math.max(low, Math.min(high, n));
	const per_column = () => Math.max(1, Math.round(event.column / event.cell));
	const style = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

	function expand(e) {
		const { nodes, texts } = e;

		e.stacks = nodes.name.map((name, i) => ({
			...(nodes.parent[i] ? { parent: nodes.parent[i] - 1 } : {}), kind: KINDS[nodes.kind[i]], name: texts[name],
			...(nodes.dso[i] < 0 ? {} : { dso: texts[nodes.dso[i]] }), value: nodes.value[i], self: nodes.self[i], samples: nodes.samples[i],
		}));
		e.threads.forEach(thread => {
			let at = 0;

			thread.cell = thread.cell.map(distance => at += distance);
			thread.len = thread.len || thread.cell.map(() => 0);
		});
	}

	// The part of a point that lies in the cells from..to
	function part(thread, i, from, to) {
		const first = Math.max(thread.cell[i], from), last = Math.min(thread.cell[i] + thread.len[i], to);

		return first > last ? 0 : thread.weight[i] * (last - first + 1) / (thread.len[i] + 1);
	}

	// What the event is in the range that is selected: the same nodes with the sums of the range, without those that have none.
	function choose(e) {
		const self = new Float64Array(e.stacks.length + 1), samples = new Float64Array(self.length), number = new Map();

		if (!selected)
			return e;
		const [from, to] = cells_of(selected, e);

		e.threads.forEach((thread, row) => {
			if (selected.rows && (e !== event || row < selected.rows[0] || row > selected.rows[1]))
				return;
			thread.cell.forEach((cell, i) => {
				const end = cell + thread.len[i];

				self[thread.node[i]] += part(thread, i, from, to);
				samples[thread.node[i]] += end >= from && end <= to ? thread.nr[i] : 0;
			});
		});
		const value = self.slice();
		for (let i = value.length - 1; i > 0; i--)
			value[e.nodes.parent[i - 1]] += value[i];
		const stacks = [];
		e.stacks.forEach((node, i) => {
			if (!value[i + 1])
				return;
			number.set(i, stacks.length);
			const chosen = { ...node, value: Math.round(value[i + 1]), self: Math.round(self[i + 1]), samples: samples[i + 1] };
			if ("parent" in node)
				chosen.parent = number.get(node.parent);
			stacks.push(chosen);
		});
		return { ...e, stacks, period: Math.round(value[0]), samples: samples.reduce((sum, n) => sum + n, 0) };
	}

	// A selection is told in ns from the first time on, so that it is the same for all events.
	const cells_of = (range, e) => [Math.floor(range.from / e.cell), Math.max(0, Math.ceil(range.to / e.cell) - 1)];
	const seconds = ns => `${(ns / 1e9).toLocaleString(undefined, { minimumFractionDigits: 3, maximumFractionDigits: 6 })} s`;

	// --- drawing ---

	// From the paper to the hottest colour; a little is still seen.
	function heat(part) {
		const color = name => style(name).match(/[0-9a-f]{2}/gi).map(hex => parseInt(hex, 16));
		const [paper, hot] = [color("--paper"), color("--heat")], to = part ? 0.12 + 0.88 * Math.sqrt(part) : 0;

		return `rgb(${paper.map((c, i) => Math.round(c + (hot[i] - c) * to)).join()})`;
	}

	const shades = () => Array.from({ length: 33 }, (_, i) => heat(i / 32));

	function prepare(canvas, width, height) {
		const scale = devicePixelRatio || 1, context = canvas.getContext("2d");

		canvas.width = width * scale;
		canvas.height = height * scale;
		canvas.style.width = `${width}px`;
		canvas.style.height = `${height}px`;
		context.scale(scale, scale);
		context.fillStyle = style("--paper");
		context.fillRect(0, 0, width, height);
		context.fillStyle = style("--ink");
		context.font = "11px system-ui, sans-serif";
		return context;
	}

	// Share out the points of a thread to bins of so many cells.
	function weigh(bins, of_thread, per_bin) {
		of_thread.cell.forEach((cell, i) => {
			for (let at = cell, end = cell + of_thread.len[i]; at <= end;) {
				const bin = Math.floor(at / per_bin), next = Math.max(at + 1, Math.ceil((bin + 1) * per_bin));

				bins(bin, i, part(of_thread, i, at, Math.min(next - 1, end)));
				at = next;
			}
		});
	}

	function cells_by_weight(e) {
		if (!e.sums) {
			e.sums = new Float64Array(e.cells);
			e.threads.forEach(thread => weigh((cell, _, sum) => { e.sums[cell] += sum; }, thread, 1));
		}
		return e.sums;
	}

	// Both maps have the same axis: whole columns of the grid, which take the width of the window. Where those get too thin, the maps are wider.
	function axis() {
		const per = per_column(), columns = Math.ceil(event.cells / per);
		const width = Math.max(50, grid.parentElement.clientWidth - LABEL - 8, columns * LEAST);

		return { per, columns, width, cells: per * columns, column: width / columns };
	}

	function draw_grid() {
		const { per, columns, column: width, width: all } = axis(), context = prepare(grid, LABEL + all + 8, per * GRID_ROW + BOTTOM);
		const colors = shades(), label = Math.ceil(70 / width);

		const sums = cells_by_weight(event), most = sums.reduce((a, b) => Math.max(a, b), 0);

		grid_place = { per, columns, width, sums };
		sums.forEach((sum, cell) => {
			context.fillStyle = colors[most ? Math.ceil(32 * sum / most) : 0];
			context.fillRect(...box_in_grid(cell, width > 4 ? 1 : 0));
		});
		context.fillStyle = style("--ink");
		for (let column = 0; column < columns; column += label)
			context.fillText(`${+(column * event.column / 1e9).toFixed(3)} s`, LABEL + column * width, per * GRID_ROW + 13);
		[0, 0.5, 1].forEach(share => context.fillText(`${+(share * event.column / 1e6).toFixed(3)} ms`, LABEL - 62,
			clamp(per * GRID_ROW * (1 - share) + 4, 10, per * GRID_ROW)));
		context.fillStyle = style("--veil");
		if (selected) {
			const [from, to] = cells_of(selected, event);

			for (let cell = 0; cell < event.cells; cell++) {
				if (cell < from || cell > to)
					context.fillRect(...box_in_grid(cell, 0));
			}
		}
		draw_cursor(context, box_in_grid(anchor ? anchor.cell : cursor.cell, 0), grid);
	}

	// The parts of a second go from the bottom to the top.
	function box_in_grid(cell, gap) {
		const column = Math.floor(cell / grid_place.per), [x, end] = [column, column + 1].map(at => LABEL + Math.round(at * grid_place.width));

		return [x, (grid_place.per - 1 - cell % grid_place.per) * GRID_ROW, Math.max(1, end - x - gap), GRID_ROW];
	}

	function draw_cursor(context, box, canvas) {
		if (!anchor && document.activeElement !== canvas)
			return;
		context.strokeStyle = style("--mark");
		context.lineWidth = 2;
		context.strokeRect(...box);
	}

	const thread_name = thread => "tid" in thread ? `${thread.name} ${thread.tid}` : thread.name;

	function state_of_bin(sums) {
		const most = Object.keys(sums).reduce((a, b) => sums[b] > (sums[a] || 0) ? b : a, "");

		return most;
	}

	// What each thread did in each bin: {state: weight}, "" for what has no state
	function bins_of(thread, nr, per_bin) {
		const bins = Array.from({ length: nr }, () => null);

		weigh((bin, i, sum) => {
			const node = event.stacks[thread.node[i] - 1], state = node && node.kind === "state" ? node.name : "";

			bins[bin] = bins[bin] || {};
			bins[bin][state] = (bins[bin][state] || 0) + sum;
		}, thread, per_bin);
		return bins;
	}

	// A line from the first sample of a thread to the last: where only the line is, it has none.
	function draw_span(context, bins, row, bin_width) {
		const first = bins.findIndex(bin => bin), last = bins.findLastIndex(bin => bin);

		context.fillStyle = style("--line");
		if (first >= 0)
			context.fillRect(LABEL + first * bin_width, row * THREAD_ROW + THREAD_ROW / 2 - 1, (last + 1 - first) * bin_width, 1);
	}

	function draw_threads() {
		const { width, cells } = axis(), nr = Math.max(1, Math.min(Math.floor(width), cells)), per_bin = cells / nr, bin_width = width / nr;
		const context = prepare(rows, LABEL + width + 8, Math.max(1, event.threads.length) * THREAD_ROW);
		const colors = shades(), all = event.bins && event.bins.nr === nr ? event.bins.all : event.threads.map(thread => bins_of(thread, nr, per_bin));
		const sum_of = bin => Object.values(bin).reduce((sum, n) => sum + n, 0);
		let most = 0;

		event.bins = { nr, all };
		rows_place = { nr, per_bin, bin_width, all };
		all.forEach(bins => bins.forEach(bin => { most = bin ? Math.max(most, sum_of(bin)) : most; }));
		all.forEach((bins, row) => {
			draw_span(context, bins, row, bin_width);
			bins.forEach((bin, i) => {
				const state = bin && state_of_bin(bin);

				if (!bin)
					return;
				context.fillStyle = states[state] || colors[Math.ceil(32 * sum_of(bin) / (most || 1))];
				const [x, end] = [i, i + 1].map(at => LABEL + Math.round(at * bin_width));

				context.fillRect(x, row * THREAD_ROW, end - x, THREAD_ROW - 1);
			});
			context.save();
			context.beginPath();
			context.rect(0, row * THREAD_ROW, LABEL - 6, THREAD_ROW);
			context.clip();
			context.fillStyle = style("--ink");
			context.fillText(thread_name(event.threads[row]), 2, row * THREAD_ROW + 11);
			context.restore();
		});
		context.fillStyle = style("--veil");
		if (selected) {
			const [from, to] = cells_of(selected, event), x = cell => LABEL + cell / per_bin * bin_width, height = all.length * THREAD_ROW;
			const [top, bottom] = selected.rows ? [selected.rows[0] * THREAD_ROW, (selected.rows[1] + 1) * THREAD_ROW] : [0, height];

			context.fillRect(LABEL, 0, width, top);
			context.fillRect(LABEL, bottom, width, height - bottom);
			context.fillRect(LABEL, top, x(from) - LABEL, bottom - top);
			context.fillRect(x(to + 1), top, LABEL + width - x(to + 1), bottom - top);
		}
		draw_cursor(context, [LABEL + Math.floor((anchor || cursor).cell / per_bin) * bin_width, (anchor || cursor).row * THREAD_ROW + 1,
			Math.max(2, bin_width), THREAD_ROW - 2], rows);
	}

	function show_range() {
		const facts = [], names = selected && selected.rows ? event.threads.slice(selected.rows[0], selected.rows[1] + 1).map(thread_name) : [];

		element("range").textContent = anchor ? `from ${seconds(anchor.cell * event.cell)}: click the end` : selected ?
			`${seconds(selected.from)} to ${seconds(selected.to)}` + (names.length ? `, ${names.length > 3 ?
				`${names.length} threads from ${names[0]} on` : names.join(", ")}` : "") :
			"whole time: drag over the maps, or click the first and the last cell (arrow keys and Enter)";
		element("whole").hidden = !selected && !anchor;
		facts.push(event.stacks.some(node => node.kind === "state") ? "a line: nothing is known of the thread there" :
			"a line: the thread has no sample there, so it did not run, or only between two samples");
		facts.push(`cells of ${+(event.cell / 1e6).toPrecision(4)} ms from ${seconds(event.first)} of the recording's clock on`);
		if (event.timeless)
			facts.push(`${event.timeless.toLocaleString()} samples have no time, and are in the whole only`);
		if (event.hidden)
			facts.push(`${event.hidden.toLocaleString()} small frames count for their callers`);
		element("cells").textContent = facts.join("; ");
	}

	function draw_maps(e) {
		if (!e.stacks)
			expand(e);
		if (event && event !== e && selected)
			selected.rows = null; // threads are others
		if (event !== e)
			anchor = null;
		event = e;
		cursor = { cell: clamp(cursor.cell, 0, event.cells - 1), row: clamp(cursor.row, 0, Math.max(0, event.threads.length - 1)) };
		draw_grid();
		draw_threads();
		show_range();
	}

	// --- selecting ---

	function select(a, b, with_rows) {
		const [first, last] = [a, b].map(point => point.cell).sort((x, y) => x - y);
		const per_row = with_rows ? rows_place.per_bin : 1;

		selected = {
			from: Math.floor(first) * event.cell, to: Math.min(Math.ceil(last + per_row), event.cells) * event.cell,
			rows: with_rows ? [Math.min(a.row, b.row), Math.max(a.row, b.row)] : null,
		};
		anchor = null;
		redraw();
	}

	function clear() {
		selected = anchor = null;
		redraw();
	}

	// A first click begins a range, a second one ends it.
	function click(point, with_rows) {
		if (anchor && anchor.with_rows === with_rows) {
			select(anchor, point, with_rows);
			return;
		}
		anchor = { ...point, with_rows };
		draw_maps(event);
	}

	function grid_point(x, y) {
		const column = clamp(Math.floor((x - LABEL) / grid_place.width), 0, grid_place.columns - 1);
		const part_of = clamp(grid_place.per - 1 - Math.floor(y / GRID_ROW), 0, grid_place.per - 1);

		return { cell: Math.min(column * grid_place.per + part_of, event.cells - 1), row: 0 };
	}

	// The first cell of a bin, which may be a part of a cell further.
	function rows_point(x, y) {
		const bin = clamp(Math.floor((x - LABEL) / rows_place.bin_width), 0, rows_place.nr - 1);

		return { cell: Math.min(bin * rows_place.per_bin, event.cells - 1), row: clamp(Math.floor(y / THREAD_ROW), 0, Math.max(0, event.threads.length - 1)) };
	}

	function tell(point, with_rows) {
		const at = seconds(Math.floor(point.cell) * event.cell), details = element("details");

		if (!with_rows) {
			details.textContent = `${at}: ${weight_of(Math.round(grid_place.sums[point.cell]))}`;
			return;
		}
		const bin = rows_place.all.length ? rows_place.all[point.row][Math.round(point.cell / rows_place.per_bin)] : null;
		details.textContent = rows_place.all.length ? `${thread_name(event.threads[point.row])}, ${at}: ${bin ? Object.entries(bin).sort((a, b) => b[1] - a[1])
			.map(([state, sum]) => `${state.slice(1, -1)} ${weight_of(Math.round(sum))}`.trim()).join(", ") : "nothing"}` : "";
	}

	function listen(canvas, point_at, with_rows, keys) {
		let down = null;
		const at = e => {
			const box = canvas.getBoundingClientRect();

			return point_at(e.clientX - box.left, e.clientY - box.top);
		};
		const same = (a, b) => a.cell === b.cell && (!with_rows || a.row === b.row);

		canvas.addEventListener("pointerdown", e => { down = at(e); });
		canvas.addEventListener("pointermove", e => tell(at(e), with_rows));
		canvas.addEventListener("pointerup", e => {
			const up = at(e), from = down;

			down = null;
			cursor = up;
			if (!from)
				return;
			if (same(from, up))
				click(up, with_rows);
			else
				select(from, up, with_rows);
		});
		canvas.addEventListener("pointercancel", () => { down = null; });
		canvas.addEventListener("focus", () => draw_maps(event));
		canvas.addEventListener("blur", () => draw_maps(event));
		canvas.addEventListener("keydown", e => {
			const move = keys()[e.key];

			if (move) {
				cursor = { cell: clamp(cursor.cell + move[0], 0, event.cells - 1), row: clamp(cursor.row + move[1], 0, Math.max(0, event.threads.length - 1)) };
				if (with_rows)
					cursor.cell = Math.round(cursor.cell / rows_place.per_bin) * rows_place.per_bin;
				else
					cursor.cell = Math.floor(cursor.cell);
				draw_maps(event);
				tell(cursor, with_rows);
			} else if (e.key === "Enter" || e.key === " ") {
				click({ ...cursor }, with_rows);
			} else if (e.key === "Escape" && (selected || anchor)) {
				clear();
			} else {
				return;
			}
			e.preventDefault();
			e.stopPropagation();
		});
	}

	listen(grid, grid_point, false, () => ({ ArrowLeft: [-grid_place.per, 0], ArrowRight: [grid_place.per, 0], ArrowUp: [1, 0], ArrowDown: [-1, 0] }));
	listen(rows, rows_point, true, () => ({ ArrowLeft: [-rows_place.per_bin, 0], ArrowRight: [rows_place.per_bin, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }));
	element("whole").addEventListener("click", clear);
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => draw_maps(event));
	// Maps that are wider than the window keep the same axis.
	[[grid, rows], [rows, grid]].forEach(([from, to]) => from.parentElement.addEventListener("scroll", () => {
		to.parentElement.scrollLeft = from.parentElement.scrollLeft;
	}));
	element("rows").after(element("states")); // their colors are those of the threads, too
	element("time").hidden = false;
	element("down").checked = true; // the graph begins right below the maps
	return { draw_maps, choose };
}
