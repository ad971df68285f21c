"use strict";
(() => {
  // Distances, in pixels.
  const BETWEEN = 26; // blocks beside each other
  const PADDING = 14; // between a region's border and what is in it
  const TITLE = 24; // the height of a region's title
  const TRACK = 9; // between horizontal parts of edges
  const LANE = 11; // between ways back
  const ABOVE = 14; // from the last track to what an edge leads to
  const BELOW = 7; // from a block to the first track
  const TAG = 15; // the same with room for a label
  const CHARACTER = 6.6; // the width of a label's characters
  const SVG = "http://www.w3.org/2000/svg";

  const page = document.documentElement;
  const $ = (selector, within = document) => within.querySelector(selector);
  const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];
  const make = (name, attributes = {}) => {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };
  const entry = (map, key, fresh) => {
    if (!map.has(key)) map.set(key, fresh());
    return map.get(key);
  };

  // Positions for boxes in a row that come as close as possible to where each wants
  // to be, in the sense of least squares, and keep their order and distance: wishes
  // that collide are pooled.
  function settle(row) {
    const pools = [];
    let shift = 0;
    for (const box of row) {
      box.shift = shift;
      let pool = { sum: (box.wish - shift) * box.weight, weight: box.weight, boxes: [box] };
      while (pools.length && pools.at(-1).sum / pools.at(-1).weight > pool.sum / pool.weight) {
        const before = pools.pop();
        before.sum += pool.sum;
        before.weight += pool.weight;
        for (const pooled of pool.boxes) before.boxes.push(pooled);
        pool = before;
      }
      pools.push(pool);
      shift += box.w + (box.dummy ? 8 : BETWEEN);
    }
    for (const pool of pools) for (const box of pool.boxes) box.x = pool.sum / pool.weight + box.shift;
  }

  // Gives the horizontal parts of edges in one gap their tracks, the first above. Those
  // that lead to the right are nested one way and those to the left the other, so that
  // edges side by side don't cross.
  function assignTracks(runs) {
    const right = runs.filter((run) => run.to > run.from).sort((a, b) => b.from - a.from);
    const left = runs.filter((run) => run.to <= run.from).sort((a, b) => a.from - b.from);
    // Of very many, each takes the first track where it finds room.
    const isMany = runs.length > 300;
    const least = (run) => Math.min(run.from, run.to);
    const all = isMany ? [...runs].sort((a, b) => least(a) - least(b)) : [...right, ...left];
    const tracks = [];
    let lowest = 0;
    const fits = (track, low, high) => track.every(([l, h]) => high < l || low > h);
    for (const run of all) {
      const low = least(run) - 5;
      const high = Math.max(run.from, run.to) + 5;
      let track = tracks.length;
      if (!isMany) {
        while (track > 0 && fits(tracks[track - 1], low, high)) track--;
      } else {
        track = tracks.findIndex((known) => known.at(-1)[1] < low);
        if (track < 0) track = tracks.length;
      }
      if (track === tracks.length) tracks.push([]);
      tracks[track].push([low, high]);
      run.track = track;
      lowest = Math.max(lowest, track + 1);
    }
    return lowest;
  }

  // Whether debugging instructions are hidden.
  let hidesDebug = document.body.classList.contains("no-debug");

  // A function. Things to place are numbered: its blocks, then its regions, and behind
  // them the whole.
  class Drawing {
    constructor(section) {
      const data = JSON.parse($("script", section).textContent);
      this.section = section;
      this.edges = data.edges.map(([from, to, kind, label]) => ({ from, to, kind, label }));
      this.declared = data.declared;
      this.blocks = $$(".block", section);
      this.regions = $$(".region", section);
      this.buttons = this.regions.map((region) => $(".fold", region));
      this.count = this.blocks.length;
      this.whole = this.count + this.regions.length;
      this.elements = [...this.blocks, ...this.regions];
      const inside = (region) => (region === null ? this.whole : this.count + region);
      this.parents = [...data.regions.map(inside), ...data.parents.map(inside)];
      this.depths = new Array(this.whole + 1).fill(0);
      for (let item = this.count; item < this.whole; item++) this.depths[item] = this.depths[this.parents[item]] + 1;
      // Where things come in the order of reading: regions where their first block does.
      this.ranks = new Array(this.whole + 1).fill(Infinity);
      data.order.forEach((block, rank) => (this.ranks[block] = rank));
      this.sizes = new Array(this.whole + 1).fill(0);
      for (let block = 0; block < this.count; block++) {
        for (let item = this.parents[block]; item !== this.whole; item = this.parents[item]) {
          this.ranks[item] = Math.min(this.ranks[item], this.ranks[block]);
          this.sizes[item]++;
        }
      }
      this.folded = new Set();
      this.scale = 1;
      this.foldSome();
      this.build();
    }

    build() {
      const canvas = $(".canvas", this.section);
      const view = document.createElement("div");
      view.className = "view";
      const sizer = document.createElement("div");
      sizer.className = "sizer";
      canvas.replaceWith(view);
      view.append(sizer);
      sizer.append(canvas);
      this.canvas = canvas;
      this.view = view;
      this.sizer = sizer;
      this.wires = make("svg", { class: "wires" });
      canvas.prepend(this.wires);
      for (const block of this.blocks) this.trim(block);
      this.regions.forEach((element, index) => {
        const size = document.createElement("span");
        size.className = "size";
        const blocks = this.sizes[this.count + index];
        size.textContent = `  ${blocks} block${blocks === 1 ? "" : "s"}`;
        const button = $(".fold", element);
        button.append(size);
        button.addEventListener("click", () => this.toggle(index));
      });
      this.drag();
    }

    // Hides the middle of a long block's instructions, of those that are shown at all.
    trim(block) {
      const LONG = 16, FIRST = 9, LAST = 4;
      const pre = $("pre", block);
      $(".more", pre)?.remove();
      const all = [...pre.children];
      for (const line of all) {
        line.classList.remove("middle");
        if (line.textContent.length > 80) line.title = line.textContent;
      }
      const lines = all.filter((line) => !hidesDebug || !line.classList.contains("debug"));
      block.classList.toggle("trim", lines.length > LONG);
      if (lines.length <= LONG) return;
      const more = document.createElement("button");
      more.type = "button";
      more.className = "more";
      const middle = lines.slice(FIRST, lines.length - LAST);
      const say = () => (more.textContent = block.classList.contains("open") ? "less" : `… ${middle.length} more`);
      middle.forEach((line) => line.classList.add("middle"));
      lines[FIRST].before(more);
      say();
      more.addEventListener("click", () => {
        block.classList.toggle("open");
        say();
        this.keep(block, () => this.draw());
      });
    }

    toggle(index) {
      if (!this.folded.delete(index)) this.folded.add(index);
      this.keep($(".fold", this.regions[index]), () => this.draw());
    }

    // Folds the innermost regions of a large function, so that it can be taken in.
    foldSome() {
      const MANY = 250, FEW = 120;
      if (this.count <= MANY) return;
      let seen = this.childrenOf(this.whole).length;
      const waiting = this.childrenOf(this.whole).filter((item) => item >= this.count);
      for (let index = 0; index < waiting.length; index++) {
        const inner = this.childrenOf(waiting[index]);
        seen += inner.length;
        if (seen > FEW) this.folded.add(waiting[index] - this.count);
        waiting.push(...inner.filter((item) => item >= this.count));
      }
    }

    foldAll(on) {
      this.folded = new Set(on ? this.regions.keys() : []);
      this.draw();
    }

    // Does something after which an element is to be where it was on the screen.
    keep(element, change) {
      const before = element.getBoundingClientRect();
      change();
      const after = element.getBoundingClientRect();
      this.view.scrollLeft += after.left - before.left;
      this.view.scrollTop += after.top - before.top;
      refresh();
    }

    draw() {
      this.show();
      this.connect();
      // Inner regions first, because their sizes decide.
      for (let item = this.whole - 1; item >= this.count; item--) if (this.isOpen(item)) this.arrange(item);
      this.arrange(this.whole);
      this.isStale = false;
      this.put();
      this.paint();
      this.resize();
    }

    isOpen(item) {
      return this.visible[item] && item >= this.count && !this.folded.has(item - this.count);
    }

    // Finds what can be seen: each thing that is in no folded region. What a block is
    // seen as is itself or the outermost folded region around it.
    show() {
      this.visible = new Array(this.whole + 1).fill(true);
      this.seenAs = new Array(this.whole + 1);
      this.seenAs[this.whole] = null;
      const look = (item) => {
        const parent = this.parents[item];
        const outer = this.seenAs[parent];
        const isFolded = item >= this.count && this.folded.has(item - this.count);
        this.visible[item] = outer === null;
        this.seenAs[item] = outer ?? (isFolded || item < this.count ? item : null);
      };
      for (let item = this.count; item < this.whole; item++) look(item);
      for (let item = 0; item < this.count; item++) look(item);
      for (let item = 0; item < this.whole; item++) {
        const element = this.elements[item];
        element.classList.toggle("hidden", !this.visible[item]);
        if (item >= this.count) {
          element.classList.toggle("folded", this.folded.has(item - this.count));
          this.buttons[item - this.count].style.left = "";
          this.buttons[item - this.count].shift = 0;
        }
        element.style.width = element.style.height = "";
      }
      // Measured all at once, before anything is moved.
      this.boxes = this.elements.map((element, item) => {
        const what = item < this.count ? element : this.buttons[item - this.count];
        const more = item < this.count ? 0 : 10;
        return this.visible[item] && { w: Math.ceil(what.offsetWidth) + more + 2, h: Math.ceil(what.offsetHeight) + more };
      });
    }

    // Cuts each edge into pieces, one for every region that it goes through: out of the
    // inner ones through ports at the bottom, across, and in through ports at the top.
    // Edges to the same block share what they can.
    connect() {
      this.pieces = new Map();
      this.order = new Map();
      const piece = (region, from, to, out, into, edge) => {
        const inRegion = entry(this.pieces, region, () => new Map());
        const key = `${from}/${out ?? ""}/${to}/${into ?? ""}`;
        entry(inRegion, key, () => ({ region, from, to, out, into, edges: [] })).edges.push(edge);
      };
      const climb = (a, b, target, kind, edge) => {
        let out = null;
        let into = null;
        while (this.parents[a] !== this.parents[b]) {
          const [above, beyond] = [this.parents[a], this.parents[b]];
          if (this.depths[above] >= this.depths[beyond]) {
            const port = `${target} ${kind}`;
            if (edge) piece(above, a, port, out, null, edge);
            [a, out] = [above, port];
          } else {
            const port = `${target}`;
            if (edge) piece(beyond, port, b, null, into, edge);
            [b, into] = [beyond, port];
          }
        }
        return [a, b, out, into];
      };
      for (const edge of this.edges) {
        const from = this.seenAs[edge.from];
        const to = this.seenAs[edge.to];
        if (from === to && edge.from !== edge.to) continue;
        if (from === to && from >= this.count) continue;
        const [a, b, out, into] = climb(from, to, to, edge.kind, edge);
        piece(this.parents[a], a, b, out, into, edge);
      }
      for (const [header, target] of this.declared) {
        const from = this.seenAs[header];
        const to = this.seenAs[target];
        if (from === to) continue;
        const [a, b] = climb(from, to, to, "");
        entry(this.order, this.parents[a], () => []).push([a, b]);
      }
    }

    // Places what is in a region, relative to it, in layers from top to bottom.
    arrange(region) {
      const isWhole = region === this.whole;
      const pieces = [...(this.pieces.get(region)?.values() ?? [])];
      const nodes = new Map();
      for (const item of this.childrenOf(region)) {
        const box = this.boxes[item];
        nodes.set(item, { item, w: box.w, h: box.h, ins: box.ins, outs: box.outs, weight: 1, layer: 1, before: [], after: [] });
      }
      const port = (key, layer) => ({ key, w: 0, h: 0, weight: 4, layer, dummy: true, before: [], after: [] });
      const tops = new Map();
      const bottoms = new Map();
      const isBack = (a, b) => this.ranks[b] <= this.ranks[a];

      // Layers: everything below what leads there.
      const below = new Map();
      const put = (a, b) => isBack(a, b) || entry(below, a, () => []).push(b);
      for (const { from, to } of pieces) if (typeof from === "number" && typeof to === "number") put(from, to);
      for (const [from, to] of this.order.get(region) ?? []) put(from, to);
      const items = [...nodes.keys()].sort((a, b) => this.ranks[a] - this.ranks[b]);
      let last = 1;
      for (const item of items) {
        const layer = nodes.get(item).layer;
        last = Math.max(last, layer);
        for (const next of below.get(item) ?? []) {
          const node = nodes.get(next);
          if (node) node.layer = Math.max(node.layer, layer + 1);
        }
      }

      // Links from layer to layer, with dummies where a piece passes one by.
      const layers = Array.from({ length: last + 2 }, () => []);
      const backs = [];
      const links = [];
      for (const item of items) layers[nodes.get(item).layer].push(nodes.get(item));
      const link = (p, q, piece) => {
        const one = { p, q, piece };
        p.after.push(one);
        q.before.push(one);
        links.push(one);
        piece.links.push(one);
      };
      for (const piece of pieces) {
        piece.links = [];
        piece.back = null;
        const isIn = typeof piece.from === "string";
        const isOut = typeof piece.to === "string";
        const p = isIn ? entry(tops, piece.from, () => port(piece.from, 0)) : nodes.get(piece.from);
        const q = isOut ? entry(bottoms, piece.to, () => port(piece.to, last + 1)) : nodes.get(piece.to);
        if (!isIn && !isOut && isBack(piece.from, piece.to)) {
          piece.back = { p, q, piece };
          backs.push(piece.back);
          continue;
        }
        let above = p;
        for (let layer = p.layer + 1; layer < q.layer; layer++) {
          const dummy = { w: 2, h: 0, weight: 6, layer, dummy: true, before: [], after: [] };
          layers[layer].push(dummy);
          link(above, dummy, piece);
          above = dummy;
        }
        link(above, q, piece);
      }
      layers[0].push(...tops.values());
      layers[last + 1].push(...bottoms.values());

      this.orderLayers(layers);
      const lanes = new Map();
      for (const back of backs) back.lane = entry(lanes, back.piece.to, () => lanes.size);
      this.spread(nodes, backs);
      this.align(layers);
      this.straighten(links);

      // Where things are from left to right.
      let least = Infinity;
      let most = -Infinity;
      for (const layer of layers) {
        for (const node of layer) {
          least = Math.min(least, node.x);
          most = Math.max(most, node.x + node.w);
        }
      }
      const side = isWhole ? 30 : PADDING;
      const left = side + lanes.size * LANE - least;
      for (const layer of layers) for (const node of layer) node.x += left;
      const lane = (number) => side + (lanes.size - 1 - number) * LANE;
      const box = region === this.whole ? (this.size = {}) : this.boxes[region];
      const title = isWhole ? 0 : (box.title = box.w);
      box.w = Math.max(most + left + side, title);

      // Where things are from top to bottom.
      const runs = layers.map(() => []);
      for (const one of links) {
        one.x1 = one.p.x + one.out;
        one.x2 = one.q.x + one.into;
        if (Math.abs(one.x1 - one.x2) < 1) one.x2 = one.x1;
        else runs[one.p.layer].push((one.run = { from: one.x1, to: one.x2 }));
      }
      for (const back of backs) {
        back.x1 = back.p.x + back.out;
        back.x2 = back.q.x + back.into;
        back.x = lane(back.lane);
        runs[back.p.layer].push((back.down = { from: back.x1, to: back.x }));
        runs[back.q.layer - 1].push((back.up = { from: back.x, to: back.x2 }));
      }
      let y = 0;
      layers.forEach((layer, index) => {
        let height = 0;
        let isTagged = false;
        for (const node of layer) {
          node.y = y;
          height = Math.max(height, node.h);
          isTagged ||= node.after.some((one) => this.tag(one.piece));
        }
        if (index === last + 1) return;
        const tracks = assignTracks(runs[index]);
        let start = y + height + (isTagged ? TAG : BELOW);
        if (index === 0) start = y + (isWhole ? 16 : TITLE);
        for (const run of runs[index]) run.y = start + run.track * TRACK + 2;
        y = start + tracks * TRACK;
        y += index === last ? (isWhole ? 20 : PADDING - 4) : ABOVE;
      });
      box.h = y;
      box.ins = new Map([...tops].map(([key, node]) => [key, node.x]));
      box.outs = new Map([...bottoms].map(([key, node]) => [key, node.x]));
      box.nodes = nodes;
      for (const piece of pieces) piece.points = piece.back ? this.wayBack(piece.back) : this.way(piece.links);
    }

    childrenOf(region) {
      if (!this.children) {
        this.children = Array.from({ length: this.whole + 1 }, () => []);
        for (let item = 0; item < this.whole; item++) this.children[this.parents[item]].push(item);
      }
      return this.children[region];
    }

    // What to write where a piece begins.
    tag(piece) {
      return typeof piece.from === "number" && piece.from < this.count ? piece.edges[0].label : "";
    }

    // Orders layers by the mean place of neighbours, down and up again.
    orderLayers(layers) {
      const number = (layer) => layer.forEach((node, index) => (node.index = index));
      layers.forEach(number);
      for (const node of layers.flat()) {
        node.after.forEach((one, index) => (one.leave = index));
        node.before.forEach((one, index) => (one.arrive = index));
      }
      const share = (node, ports, key, place, count) => {
        const x = ports?.get(key);
        return x === undefined ? (place + 1) / (count + 1) : x / Math.max(node.w, 1);
      };
      const above = (one) => one.p.index + share(one.p, one.p.outs, one.piece.out, one.leave, one.p.after.length);
      const beneath = (one) => one.q.index + share(one.q, one.q.ins, one.piece.into, one.arrive, one.q.before.length);
      const sweep = (layer, near, value) => {
        for (const node of layer) {
          const all = node[near];
          // Of very many, a few say enough.
          const some = all.length > 64 ? all.slice(0, 64) : all;
          node.mean = some.length ? some.reduce((sum, one) => sum + value(one), 0) / some.length : node.index + 0.5;
        }
        layer.sort((a, b) => a.mean - b.mean || a.index - b.index);
        number(layer);
      };
      const down = () => layers.slice(1).forEach((layer) => sweep(layer, "before", above));
      const up = () => layers.slice(0, -1).reverse().forEach((layer) => sweep(layer, "after", beneath));
      for (const way of [down, up, down, up, down]) way();
    }

    // Says where along a thing's edges links begin and end: where its ports are, or side
    // by side.
    spread(nodes, backs) {
      for (const one of backs) {
        one.p.leaving ??= [];
        one.q.coming ??= [];
        one.p.leaving.push(one);
        one.q.coming.push(one);
      }
      for (const node of nodes.values()) {
        const after = [...(node.leaving ?? []), ...node.after.sort((a, b) => a.q.index - b.q.index)];
        const before = [...(node.coming ?? []), ...node.before.sort((a, b) => a.p.index - b.p.index)];
        if (!node.outs) {
          const tags = after.map((one) => 14 + CHARACTER * this.tag(one.piece).length);
          const wanted = tags.reduce((sum, tag) => sum + tag, 0);
          if (after.length > 1) node.w = Math.max(node.w, Math.min(wanted, 3000));
          const rest = (node.w - wanted) / after.length;
          let x = 0;
          after.forEach((one, index) => {
            one.out = rest > 0 ? x + (tags[index] + rest) / 2 : (node.w * (index + 1)) / (after.length + 1);
            if (rest > 0 && this.tag(one.piece) && after.length > 1) one.out -= (tags[index] - 14) / 3;
            x += tags[index] + rest;
          });
        } else {
          for (const one of after) one.out = node.outs.get(one.piece.out) ?? node.w / 2;
        }
        before.forEach((one, index) => {
          one.into = node.ins?.get(one.piece.into) ?? (node.w * (index + 1)) / (before.length + 1);
        });
        if (node.item < this.count) this.boxes[node.item].w = node.w;
      }
    }

    // Moves things to where their links are straight, as far as they all can.
    align(layers) {
      for (const layer of layers) {
        for (const node of layer) {
          for (const one of node.after) one.out ??= node.w / 2;
          for (const one of node.before) one.into ??= node.w / 2;
        }
      }
      let width = 0;
      for (const layer of layers) {
        let x = 0;
        for (const node of layer) {
          node.x = x;
          x += node.w + BETWEEN;
        }
        width = Math.max(width, x);
        layer.width = x;
      }
      for (const layer of layers) for (const node of layer) node.x += (width - layer.width) / 2;
      // A weak pull to one axis, lest long columns lean to a side.
      const AXIS = 0.9;
      const mean = (list, value, node) => {
        const pull = node.dummy ? 0 : AXIS;
        let [sum, weight] = [pull * (width / 2 - node.w / 2), pull];
        for (const one of list) {
          const share = one.p.dummy || one.q.dummy ? 2 : 1;
          sum += share * value(one);
          weight += share;
        }
        return weight ? sum / weight : node.x;
      };
      const fromAbove = (node) => mean(node.before, (one) => one.p.x + one.out - one.into, node);
      const fromBelow = (node) => mean(node.after, (one) => one.q.x + one.into - one.out, node);
      const down = () => layers.forEach((layer) => (layer.forEach((node) => (node.wish = fromAbove(node))), settle(layer)));
      const up = () => [...layers].reverse().forEach((layer) => (layer.forEach((node) => (node.wish = fromBelow(node))), settle(layer)));
      const both = () => layers.forEach((layer) => {
        for (const node of layer) {
          node.wish = node.before.length && node.after.length ? (fromAbove(node) + fromBelow(node)) / 2 : node.before.length ? fromAbove(node) : fromBelow(node);
        }
        settle(layer);
      });
      for (const way of [down, up, both, down, up, both, both]) way();
      // What is no more than a bend follows what it belongs to.
      for (const layer of layers) {
        if (!layer.some((node) => node.dummy)) continue;
        for (const node of layer) node.wish = node.dummy ? (node.before.length ? fromAbove(node) : fromBelow(node)) : node.x;
        for (const node of layer) node.weight = node.dummy ? 1 : 1e6;
        settle(layer);
      }
    }

    // Takes out bends too small to mean anything, where one end can be moved along the
    // edge of a block.
    straighten(links) {
      const NEAR = 14;
      const isFree = (node, list, ports) => !node.dummy && !ports && list.length === 1;
      for (const one of links) {
        const gap = one.p.x + one.out - one.q.x - one.into;
        if (gap === 0 || Math.abs(gap) > NEAR) continue;
        const fits = (node, x) => x > 8 && x < node.w - 8;
        if (isFree(one.q, one.q.before, one.q.ins) && fits(one.q, one.into + gap)) one.into += gap;
        else if (isFree(one.p, one.p.after, one.p.outs) && fits(one.p, one.out - gap)) one.out -= gap;
      }
    }

    way(links) {
      const points = [];
      for (const { p, x1, x2, q, run } of links) {
        points.push([x1, p.y + (p.dummy ? 0 : p.h)]);
        if (run) points.push([x1, run.y], [x2, run.y]);
        points.push([x2, q.y]);
      }
      return points;
    }

    wayBack({ p, q, x, x1, x2, down, up }) {
      return [[x1, p.y + p.h], [x1, down.y], [x, down.y], [x, up.y], [x2, up.y], [x2, q.y]];
    }

    // Moves things on the page to their places, parents first.
    put() {
      const places = (this.places = new Array(this.whole + 1));
      places[this.whole] = { x: 0, y: 0 };
      const stack = [this.whole];
      while (stack.length) {
        const region = stack.pop();
        const origin = places[region];
        const box = region === this.whole ? this.size : this.boxes[region];
        for (const [item, node] of box.nodes) {
          const place = (places[item] = { x: origin.x + node.x, y: origin.y + node.y, w: node.w, h: node.h });
          const style = this.elements[item].style;
          style.left = `${place.x}px`;
          style.top = `${place.y}px`;
          style.width = `${place.w}px`;
          if (item >= this.count) style.height = `${place.h}px`;
          if (item >= this.count && this.isOpen(item)) stack.push(item);
        }
      }
    }

    // Draws the edges.
    paint() {
      const back = make("g");
      const front = make("g");
      const touch = make("g");
      for (const edge of this.edges) edge.parts = [];
      for (const [region, pieces] of this.pieces) {
        const origin = this.places[region];
        for (const piece of pieces.values()) {
          const points = piece.points.map(([x, y]) => [x + origin.x, y + origin.y]);
          const kinds = new Set(piece.edges.map((edge) => edge.kind));
          const kind = kinds.size === 1 ? piece.edges[0].kind : "forward";
          const d = rounded(points);
          const wire = make("path", { class: `wire ${kind}`, d });
          const parts = [wire];
          (kind === "merge" ? back : front).append(wire);
          if (typeof piece.to === "number" && !this.isOpen(piece.to)) {
            const [x, y] = points.at(-1);
            const arrow = make("path", { class: `arrow ${kind}`, d: `M${x - 4} ${y - 8}L${x + 4} ${y - 8}L${x} ${y}Z` });
            front.append(arrow);
            parts.push(arrow);
          }
          const label = this.tag(piece);
          if (label) {
            const [x, y] = points[0];
            const tag = make("text", { class: "tag", x: x + 4, y: y + 11 });
            tag.textContent = label;
            front.append(tag);
          }
          const area = make("path", { class: "touch", d });
          touch.append(area);
          for (const edge of piece.edges) edge.parts.push(...parts);
          area.addEventListener("pointerenter", () => this.light(piece.edges));
          area.addEventListener("pointerleave", () => this.light([]));
          area.addEventListener("click", () => !this.moved && this.follow(piece.edges));
          const title = make("title");
          title.textContent = piece.edges.slice(0, 12).map((edge) => this.describe(edge)).join("\n");
          area.append(title);
        }
      }
      this.wires.replaceChildren(back, front, touch);
    }

    describe({ from, to, kind, label }) {
      const name = (block) => $("h3", this.blocks[block]).firstChild.textContent.trim();
      return `${name(from)} → ${name(to)}${label ? `  ${label}` : ""}${kind === "forward" ? "" : `  (${kind})`}`;
    }

    // Shows which edges are meant, and what they connect.
    light(edges) {
      for (const element of $$(".on", this.canvas)) element.classList.remove("on");
      this.wires.classList.toggle("lit", edges.length > 0);
      for (const edge of edges) {
        for (const part of edge.parts) part.classList.add("on");
        for (const end of [edge.from, edge.to]) this.elements[this.seenAs[end]].classList.add("on");
      }
    }

    // Goes to where an edge leads; or from there to where it comes from, if that is what
    // is seen already.
    follow(edges) {
      const { from, to } = edges[0];
      const area = this.view.getBoundingClientRect();
      const box = this.elements[this.seenAs[to]].getBoundingClientRect();
      const isSeen = box.bottom > area.top && box.top < area.bottom && box.right > area.left && box.left < area.right;
      this.reveal(isSeen && edges.length === 1 ? from : to);
    }

    // Shows a block, whatever is folded.
    reveal(block) {
      let changed = false;
      for (let item = this.parents[block]; item !== this.whole; item = this.parents[item]) {
        changed = this.folded.delete(item - this.count) || changed;
      }
      if (changed) this.draw();
      this.center(block);
      for (const element of $$(".at", this.canvas)) element.classList.remove("at");
      this.blocks[block].classList.add("at");
    }

    center(item) {
      const { x, y, w, h } = this.places[item];
      const { clientWidth, clientHeight } = this.view;
      this.view.scrollLeft = (x + w / 2) * this.scale + this.margin - clientWidth / 2;
      this.view.scrollTop = Math.min((y + h / 2) * this.scale - clientHeight / 2, y * this.scale - 40);
      refresh();
    }

    resize() {
      const [w, h] = [this.size.w * this.scale, this.size.h * this.scale];
      // What is smaller than the view stands in its middle.
      this.margin = Math.max(0, (this.view.clientWidth - w) / 2);
      this.sizer.style.width = `${w}px`;
      this.sizer.style.height = `${h}px`;
      this.canvas.style.left = `${this.margin}px`;
      this.canvas.style.transform = `scale(${this.scale})`;
      $("#scale").textContent = `${Math.round(this.scale * 100)} %`;
      refresh();
    }

    // Zooms about a point of the view, or its middle.
    zoom(scale, x = this.view.clientWidth / 2, y = this.view.clientHeight / 2) {
      scale = Math.min(3, Math.max(0.01, scale));
      const left = (this.view.scrollLeft + x - this.margin) / this.scale;
      const top = (this.view.scrollTop + y) / this.scale;
      this.scale = scale;
      this.resize();
      this.view.scrollLeft = left * scale + this.margin - x;
      this.view.scrollTop = top * scale - y;
      refresh();
    }

    fit() {
      const { clientWidth, clientHeight } = this.view;
      this.zoom(Math.min(1, clientWidth / this.size.w, clientHeight / this.size.h) * 0.99);
    }

    start() {
      this.view.scrollLeft = (this.places[this.seenAs[0]].x + this.places[this.seenAs[0]].w / 2) * this.scale + this.margin - this.view.clientWidth / 2;
      this.view.scrollTop = 0;
      refresh();
    }

    // Moves titles of regions that begin left of the view into it.
    keepTitles() {
      const left = (this.view.scrollLeft - this.margin) / this.scale + 4;
      for (let item = this.count; item < this.whole; item++) {
        if (!this.isOpen(item)) continue;
        const { x, w } = this.places[item];
        const shift = Math.max(0, Math.min(left - x, w - this.boxes[item].title - 4));
        const button = this.buttons[item - this.count];
        if (button.shift === shift) continue;
        button.shift = shift;
        button.style.left = `${shift}px`;
      }
    }

    drag() {
      const view = this.view;
      let start = null;
      view.addEventListener("pointerdown", (event) => {
        this.moved = false;
        const isText = event.target.closest(".block, button");
        if (event.button !== 0 || isText) return;
        start = { x: event.clientX + view.scrollLeft, y: event.clientY + view.scrollTop };
      });
      addEventListener("pointermove", (event) => {
        if (!start) return;
        view.classList.add("dragging");
        const [left, top] = [view.scrollLeft, view.scrollTop];
        view.scrollLeft = start.x - event.clientX;
        view.scrollTop = start.y - event.clientY;
        this.moved ||= left !== view.scrollLeft || top !== view.scrollTop;
      });
      addEventListener("pointerup", () => {
        start = null;
        view.classList.remove("dragging");
      });
      view.addEventListener("wheel", (event) => {
        if (!event.ctrlKey && !event.metaKey) return;
        event.preventDefault();
        const box = view.getBoundingClientRect();
        this.zoom(this.scale * Math.exp(-event.deltaY / 300), event.clientX - box.left, event.clientY - box.top);
      }, { passive: false });
      view.addEventListener("scroll", refresh, { passive: true });
      view.addEventListener("pointerover", (event) => {
        const block = event.target.closest(".block");
        const id = event.target.closest(".id");
        for (const element of $$(".same", this.section)) element.classList.remove("same");
        if (id) {
          const same = $$(".id", this.section).filter((other) => other.textContent === id.textContent);
          for (const element of same) element.classList.add("same");
        }
        if (block === this.hovered) return;
        this.hovered = block;
        const number = this.blocks.indexOf(block);
        this.light(number < 0 ? [] : this.edges.filter(({ from, to }) => from === number || to === number));
      });
    }
  }

  // A path along points, with round corners.
  function rounded(all) {
    const points = all.filter(([x, y], index) => !index || x !== all[index - 1][0] || y !== all[index - 1][1]);
    let path = `M${points[0]}`;
    for (let index = 1; index < points.length - 1; index++) {
      const [[ax, ay], [bx, by], [cx, cy]] = points.slice(index - 1, index + 2);
      const before = Math.hypot(bx - ax, by - ay);
      const after = Math.hypot(cx - bx, cy - by);
      const radius = Math.min(5, before / 2, after / 2);
      const at = (x, y, length) => [bx + ((x - bx) * radius) / length, by + ((y - by) * radius) / length];
      path += `L${at(ax, ay, before)}Q${[bx, by]} ${at(cx, cy, after)}`;
    }
    return `${path}L${points.at(-1)}`;
  }

  // The small picture of the whole, and where in it the view is. What depends on the
  // view is done at most once a frame.
  const map = document.createElement("canvas");
  map.id = "map";
  map.style.display = "none";
  let waiting = false;
  function refresh() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      if (current?.places) current.keepTitles();
      drawMap();
    });
  }
  function drawMap() {
    const drawing = current;
    if (!drawing?.places) return;
    const { view, size, scale } = drawing;
    const isNeeded = view.scrollWidth > view.clientWidth * 1.1 || view.scrollHeight > view.clientHeight * 1.1;
    map.style.display = isNeeded ? "" : "none";
    if (!isNeeded) return;
    const factor = Math.min(170 / size.w, 230 / size.h);
    const dense = devicePixelRatio || 1;
    const [w, h] = [Math.max(20, size.w * factor), Math.max(20, size.h * factor)];
    map.width = w * dense;
    map.height = h * dense;
    map.style.width = `${w}px`;
    map.style.height = `${h}px`;
    const brush = map.getContext("2d");
    brush.scale(dense, dense);
    const colour = (element, name) => getComputedStyle(element).getPropertyValue(name);
    for (let item = drawing.whole - 1; item >= 0; item--) {
      const place = drawing.visible[item] && drawing.places[item];
      if (!place) continue;
      const element = drawing.elements[item];
      const isRegion = item >= drawing.count;
      const isHit = element.classList.contains("hit");
      brush.globalAlpha = isRegion ? 0.16 : 1;
      brush.fillStyle = isRegion ? colour(element, "--kind") : colour(page, isHit ? "--break" : "--strong");
      brush.fillRect(place.x * factor, place.y * factor, Math.max(1, place.w * factor), Math.max(1, place.h * factor));
    }
    brush.globalAlpha = 1;
    brush.strokeStyle = colour(page, "--accent");
    brush.lineWidth = 1.5;
    const unit = factor / scale;
    brush.strokeRect((view.scrollLeft - drawing.margin) * unit, view.scrollTop * unit, view.clientWidth * unit, view.clientHeight * unit);
    map.factor = factor;
  }
  const go = (event) => {
    const box = map.getBoundingClientRect();
    const { view, scale, margin } = current;
    view.scrollLeft = ((event.clientX - box.left) / map.factor) * scale + margin - view.clientWidth / 2;
    view.scrollTop = ((event.clientY - box.top) / map.factor) * scale - view.clientHeight / 2;
  };
  map.addEventListener("pointerdown", (event) => {
    map.setPointerCapture(event.pointerId);
    go(event);
  });
  map.addEventListener("pointermove", (event) => event.buttons && go(event));

  // Which function is shown.
  const sections = $$(".function");
  const drawings = new Map();
  let current = null;
  function select(number) {
    const section = sections[number];
    if (!section) return;
    sections.forEach((other) => other.classList.toggle("current", other === section));
    $$("#index li").forEach((item, index) => item.classList.toggle("current", index === number));
    const isNew = !drawings.has(section);
    current = entry(drawings, section, () => new Drawing(section));
    if (isNew || current.isStale) current.draw();
    if (isNew) {
      current.resize();
      current.start();
    }
    current.resize();
    search();
  }

  // Search.
  const input = $("#search");
  let hits = [];
  let hit = -1;
  function search() {
    const wanted = input.value.trim().toLowerCase();
    hits = [];
    hit = -1;
    current?.blocks.forEach((block, index) => {
      const found = wanted !== "" && block.textContent.toLowerCase().includes(wanted);
      block.classList.toggle("hit", found);
      if (found) hits.push(index);
    });
    $("#hits").textContent = wanted ? `${hits.length} block${hits.length === 1 ? "" : "s"}` : "";
    refresh();
  }
  function next(step) {
    if (!hits.length) return;
    hit = (hit + step + hits.length) % hits.length;
    current.reveal(hits[hit]);
    $("#hits").textContent = `${hit + 1} of ${hits.length}`;
  }

  // What the address asks for.
  function visit() {
    const wishes = location.hash.slice(1).split(",");
    const place = wishes.map((wish) => /^f(\d+)(?:-([br])(\d+))?$/.exec(wish)).find((found) => found && sections[found[1]]);
    // Or else what is shown, or an entry point.
    const shown = current ? current.section : sections.find((section) => $(".entry", section));
    const number = place ? Number(place[1]) : Math.max(0, sections.indexOf(shown));
    select(number);
    if (!current) return;
    for (const wish of wishes) {
      if (wish === "fold" || wish === "unfold") current.foldAll(wish === "fold");
      if (wish === "fit") current.fit();
      if (wish === "dark" || wish === "light") page.dataset.theme = wish;
      if (["all", "brief", "names"].includes(wish)) detail(wish);
      if (wish === "debug" || wish === "no-debug") debug(wish === "debug");
      if (wish.startsWith("search=")) {
        input.value = decodeURIComponent(wish.slice(7));
        search();
      }
    }
    if (wishes.includes("fold") || wishes.includes("unfold")) current.start();
    const target = place && Number(place[3]);
    if (place?.[2] === "b" && target < current.count) current.reveal(target);
    if (place?.[2] === "r" && target < current.regions.length) current.center(current.count + target);
  }
  function debug(isShown) {
    hidesDebug = !isShown;
    $("#debug").checked = isShown;
    for (const drawing of drawings.values()) for (const block of drawing.blocks) drawing.trim(block);
    detail($("#detail").value);
  }
  function detail(level) {
    $("#detail").value = level;
    document.body.className = hidesDebug ? `${level} no-debug` : level;
    for (const drawing of drawings.values()) drawing.isStale = true;
    current?.draw();
  }

  const dark = matchMedia("(prefers-color-scheme: dark)");
  page.dataset.theme = dark.matches ? "dark" : "light";
  const theme = () => {
    page.dataset.theme = page.dataset.theme === "dark" ? "light" : "dark";
    refresh();
  };
  const actions = {
    "fold-all": () => (current.foldAll(true), current.start()),
    "unfold-all": () => (current.foldAll(false), current.start()),
    smaller: () => current.zoom(current.scale / 1.25),
    larger: () => current.zoom(current.scale * 1.25),
    fit: () => current.fit(),
    theme,
  };
  const keys = { f: "fold-all", u: "unfold-all", "-": "smaller", "+": "larger", "=": "larger", 0: "fit", d: "theme" };
  for (const [id, action] of Object.entries(actions)) $(`#${id}`).addEventListener("click", () => current && action());
  $("#detail").addEventListener("change", (event) => detail(event.target.value));
  $("#debug").addEventListener("change", (event) => debug(event.target.checked));
  input.addEventListener("input", search);
  input.addEventListener("keydown", (event) => event.key === "Enter" && next(event.shiftKey ? -1 : 1));
  addEventListener("keydown", (event) => {
    if (event.target.closest("input, select") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "/") {
      event.preventDefault();
      input.focus();
    } else if (keys[event.key] && current) {
      actions[keys[event.key]]();
    }
  });
  addEventListener("hashchange", visit);
  addEventListener("resize", () => current?.resize());
  addEventListener("click", (event) => {
    const help = $("#help");
    if (help.open && !event.target.closest("#help")) help.open = false;
    // The same place again changes no address.
    const link = event.target.closest("a[href^='#']");
    if (link && link.getAttribute("href") === location.hash) visit();
  });

  page.classList.add("js");
  page.classList.toggle("single", sections.length < 2);
  $("main").append(map);
  $("#debug").closest("label").hidden = !$(".debug");
  debug(!hidesDebug);
  visit();
})();
