(function () {
  "use strict";

  function all(selector, root) { return Array.prototype.slice.call((root || document).querySelectorAll(selector)); }
  function one(selector, root) { return (root || document).querySelector(selector); }
  function set(node, values) { Object.keys(values).forEach(function (name) { node.setAttribute(name, values[name]); }); }
  function data(node, name) { var text = node.getAttribute(name); return text ? JSON.parse(text) : null; }

  // All numbers are improvements in the unit that is shown: more is better for A.
  // The rule of ropewalk.draws.decision, word for word: edges are inclusive, and equivalence is looked at first.
  function decide(it, how, margin) {
    var low = it.hdi[0], high = it.hdi[1];
    if (how.side) {  // only a loss counts
      if (how.rule === "probability") {
        var lost = below(it.x, -margin);
        return 1 - lost >= how.prob ? "≈" : lost >= how.prob ? "≪" : "u";
      }
      return low >= -margin ? "≈" : high <= -margin ? "≪" : "u";
    }
    if (how.rule === "probability") {
      var found = it.path.reduce(function (last, piece) { return piece[0] <= margin ? piece[1] : last; }, it.path[0][1]);
      return found === "<" || found === ">" ? "u" : found;
    }
    return -margin <= low && high <= margin ? "≈" : high <= -margin ? "≪" : low >= margin ? "≫" : "u";
  }

  // Whether other draws would decide alike: every end of the interval over 4 of its errors from every edge.
  function stable(it, how, margin, masses) {
    if (it.worth < 1000) { return false; }
    if (how.rule === "probability") {
      return masses.every(function (p) {
        return Math.abs(p - how.prob) > 4 * Math.sqrt(Math.max(p * (1 - p), 1 / it.worth) / it.worth);
      });
    }
    if (Number((it.worth * (1 - how.prob)).toFixed(6)) < 40) { return false; }
    return (how.side ? [-margin] : [-margin, margin]).every(function (edge) {
      return it.hdi.every(function (end, i) { return Math.abs(end - edge) > 4 * it.err[i]; });
    });
  }

  // The share of the posterior below a value, from quantiles that are spaced like cosines.
  function below(x, value) {
    var last = x.length - 1, low = 0, high = last;
    if (value <= x[0]) { return 0; }
    if (value >= x[last]) { return 1; }
    while (high - low > 1) {
      var middle = (low + high) >> 1;
      if (x[middle] <= value) { low = middle; } else { high = middle; }
    }
    function place(i) { return (1 - Math.cos(Math.PI * i / last)) / 2; }
    var gap = x[high] - x[low];
    return place(low) + (place(high) - place(low)) * (gap > 0 ? (value - x[low]) / gap : 0);
  }

  function masses_of(it, how, margin) {
    var worse = below(it.x, -margin);
    if (how.side) { return [worse, 1 - worse, 0]; }
    var upto = below(it.x, margin);
    return [worse, upto - worse, 1 - upto];
  }

  function leaning(masses) {
    return masses[1] >= masses[2] && masses[1] >= masses[0] ? "equivalent" : masses[2] >= masses[0] ? "a" : "b";
  }

  // Never 0% or 100%, and no decimal within the Monte Carlo error.
  function percent(share, n) {
    var floor = 3 / n <= 0.001 ? 0.001 : Math.min(Math.ceil(300 / n) / 100, 0.5);
    function bound(value) { return String(Number((100 * value).toFixed(6))) + "%"; }
    if (share < floor) { return "<" + bound(floor); }
    if (share > 1 - floor) { return ">" + bound(1 - floor); }
    var text = (100 * share).toFixed(Math.sqrt(share * (1 - share) / n) <= 0.001 ? 1 : 0);
    return (text === "0" || text === "100" ? (100 * share).toFixed(1) : text) + "%";
  }

  function counted(margin, how) {
    var text = String(Number(margin.toPrecision(6)));
    return how.noun ? text + " " + how.noun + (text === "1" ? "" : "s") : text;
  }

  // A slider, its stamp and its way back; `show` gets the margin, or null for what was set, and returns what to say.
  function explore(root, how, show) {
    var box = one(".explore", root), panel = one(".margin", root), stamp = one(".stamp", panel), says = one(".says", panel);
    var input = one("input", box), output = one("output", box), back = one(".back", box), before = says.textContent;
    function update() {
      var margin = Number(input.value), at_preset = Math.abs(margin - how.margin) <= 1e-9 * Math.max(1, how.margin);
      var text = at_preset ? how.preset : how.sign + counted(margin, how), said = show(at_preset ? null : margin);
      output.textContent = text;
      input.setAttribute("aria-valuetext", text);
      panel.classList.toggle("exploring", !at_preset);
      stamp.textContent = at_preset ? "pre-set" : "exploring";
      says.textContent = at_preset ? before : "At " + text + ": " + said + ". The pre-set value was " + how.preset + ", and the headline keeps to it.";
      back.disabled = at_preset;
    }
    input.addEventListener("input", update);
    back.addEventListener("click", function () { input.value = input.defaultValue; update(); input.focus(); });
    box.hidden = false;
    input.value = input.defaultValue;  // a browser may remember another one
    update();
  }

  // One posterior: dots, band, bar and chances follow the margin.
  function posterior(root, how) {
    var shares = all(".share", root), bars = all(".bar rect", root), by = all(".by", root), count = one(".count", root);
    var shown = how.side ? [0, 1] : [0, 1, 2];
    var asked = { shares: shares.map(text_of), by: by.map(text_of), count: count && count.textContent, bars: bars.map(function (bar) {
      return { x: bar.getAttribute("x"), width: bar.getAttribute("width") };
    }) };
    function text_of(node) { return node.textContent; }
    // The marks stand in three paths, one for each colour, in the order of their values.
    function colour(group, margin) {
      var paths = all("path", group), values = group.getAttribute("data-v").split(" ").map(Number);
      var marks = paths.map(function (path) { return path.getAttribute("d"); }).join("").split("M").slice(1), drawn = ["", "", ""];
      marks.forEach(function (mark, i) { drawn[values[i] < -margin ? 0 : how.side || values[i] > margin ? 2 : 1] += "M" + mark; });
      paths.forEach(function (path, i) { path.setAttribute("d", drawn[i]); });
    }
    function draw(margin) {
      all(".post", root).forEach(function (picture) {
        var axis = picture.getAttribute("data-axis").split(" ").map(Number), wide = picture.viewBox.baseVal.width - 16;
        function at(value) { return 8 + wide * (Math.min(Math.max(value, axis[0]), axis[1]) - axis[0]) / (axis[1] - axis[0]); }
        var from = how.side ? 8 : at(-margin), to = how.side ? at(-margin) : at(margin), name = one("[data-name]", picture);
        set(one("[data-band]", picture), { x: from, width: Math.max(to - from, 0) });
        if (how.side) { set(one("[data-edge]", picture), { x1: to, x2: to }); }
        if (name) { name.setAttribute("visibility", margin === how.margin ? "visible" : "hidden"); }
        colour(one(".marks", picture), margin);
      });
    }
    return function (margin) {
      draw(margin === null ? how.margin : margin);
      if (margin === null) {
        shares.forEach(function (node, i) { node.textContent = asked.shares[i]; });
        by.forEach(function (node, i) { node.textContent = asked.by[i]; });
        bars.forEach(function (bar, i) { set(bar, asked.bars[i]); });
        if (count) { count.textContent = asked.count; }
        return "";
      }
      var masses = masses_of(how, how, margin), verdict = decide(how, how, margin);
      shares.forEach(function (node, i) { node.textContent = percent(masses[shown[i]], how.worth); });
      by.forEach(function (node) { node.textContent = "by more than " + counted(margin, how); });
      [0, masses[0], masses[0] + masses[1]].forEach(function (x, i) { if (bars[i]) { set(bars[i], { x: 1000 * x, width: 1000 * masses[i] }); } });
      if (count) {
        var side = how.side || count.getAttribute("data-side") === "a" ? ".ma" : ".mb";
        count.textContent = one(".marks " + side, root).getAttribute("d").split("M").length - 1;
      }
      return (how.say[verdict] || how.say[leaning(masses)]) + (stable(how, how, margin, masses) ? "" : " (other draws may say otherwise)");
    };
  }

  // Rows of intervals: verdicts, colours, band and counts follow the margin.
  function judged_rows(root, how) {
    var tones = { "≫": "a", "≪": "b", "≈": how.side ? "a" : "e", u: "u" };
    var rows = all("[data-row]", root).map(function (node) {
      var words = one(".vd", node), picture = one(".tr", node);
      return { it: data(node, "data-row"), words: words, picture: picture, asked: [words.textContent, words.className, picture.getAttribute("class")] };
    });
    var bands = all(".tr .band, .tr .bad", root).map(function (node) { return { node: node, x: node.getAttribute("x"), width: node.getAttribute("width") }; });
    return function (margin) {
      var counts = { a: 0, b: 0, e: 0, u: 0 };
      rows.forEach(function (row) {
        if (margin === null) {
          row.words.textContent = row.asked[0];
          row.words.className = row.asked[1];
          row.picture.setAttribute("class", row.asked[2]);
          counts[row.asked[1].slice(-1)] += 1;
          return;
        }
        var verdict = decide(row.it, how, margin), tone = tones[verdict], masses = row.it.x.length ? masses_of(row.it, how, margin) : null;
        var words = how.say[verdict], sure = !masses || stable(row.it, how, margin, masses);
        if (verdict === "u" && masses && !how.side) { words += ", " + how.say[leaning(masses)] + "?"; } else if (!sure && verdict !== "u") { words += "?"; }
        row.words.textContent = words;
        row.words.className = "vd v" + tone;
        row.picture.setAttribute("class", "tr v" + tone);
        counts[tone] += 1;
      });
      bands.forEach(function (band) {
        if (margin === null) { set(band.node, { x: band.x, width: band.width }); return; }
        function at(value) { return Math.min(Math.max(100 * (value - how.axis[0]) / (how.axis[1] - how.axis[0]), 0), 100); }
        var from = how.side ? 0 : at(-margin);
        set(band.node, { x: from + "%", width: (how.side ? at(-margin) : at(margin)) - from + "%" });
      });
      all("[data-show]", root).forEach(function (chip) {
        var tone = chip.getAttribute("data-show");
        if (tone) { one("b", chip).textContent = counts[tone]; }
      });
      filter(root);
      return how.tally.map(function (part) { return counts[part[0]] + " " + part[1]; }).join(", ");
    };
  }

  function filter(root) {
    var pressed = one("[aria-pressed=true]", root), tone = pressed ? pressed.getAttribute("data-show") : "";
    var search = one("input[type=search]", root), sought = search ? search.value.toLowerCase() : "";
    all(".r:not(.h)", root).forEach(function (row) {
      var found = one(".nm", row).textContent.toLowerCase().indexOf(sought) >= 0;
      row.hidden = !found || (tone && !one(".vd", row).classList.contains("v" + tone));
    });
  }

  function finding(root) {
    var search = one("input[type=search]", root), sort = one("select", root), table = one(".rows", root);
    var rows = all(".r:not(.h):not(.sum)", root);
    all(".chips", root).forEach(function (box) { box.hidden = false; });
    all("[data-show]", root).forEach(function (chip) {
      chip.addEventListener("click", function () {
        all("[data-show]", root).forEach(function (other) { other.setAttribute("aria-pressed", String(other === chip)); });
        filter(root);
      });
    });
    if (search) { search.addEventListener("input", function () { filter(root); }); }
    if (sort) {
      sort.addEventListener("change", function () {
        var order = rows.slice();
        if (sort.value === "name") { order.sort(function (a, b) { return one(".nm", a).textContent < one(".nm", b).textContent ? -1 : 1; }); }
        order.forEach(function (row) { table.appendChild(row); });
      });
    }
  }

  // Groups of a leaderboard: a new one starts where the leader above wins by more than the margin.
  function leaders(root, how) {
    var rows = all("[data-place]", root).map(function (node) {
      var box = one(".vc", node), picture = one(".tr", node);
      return { node: node, picture: picture, name: one(".nm", node).textContent, words: one(".vd", node), less: one(".vs", node),
        asked: [node.className, picture.getAttribute("class"), one(".vd", box).className, one(".vd", box).textContent, one(".vs", box).textContent] };
    });
    var cells = all("[data-pair]");
    function pair(i, j) { return { hdi: how.low[i][j] === null ? [0, 0] : [how.low[i][j], how.high[i][j]], path: [] }; }
    function verdict(i, j, margin) { return decide(pair(i, j), how, margin); }
    return function (margin) {
      var leader = -1, group = -1, top = [];
      cells.forEach(function (cell) {
        if (!cell.hasAttribute("data-was")) { cell.setAttribute("data-was", cell.className); }
        var at = cell.getAttribute("data-pair").split(" ");
        cell.className = margin === null ? cell.getAttribute("data-was") : "v" + { "≫": "a", "≪": "b", "≈": "e", u: "u" }[verdict(at[0], at[1], margin)];
      });
      rows.forEach(function (row, i) {
        if (margin === null) {
          row.node.className = row.asked[0];
          row.picture.setAttribute("class", row.asked[1]);
          row.words.className = row.asked[2];
          row.words.textContent = row.asked[3];
          row.less.textContent = row.asked[4];
          return;
        }
        var found = leader < 0 ? "≫" : verdict(leader, i, margin), leads = leader < 0 || found === "≫";
        if (leads) { leader = i; group += 1; }
        var tone = leads || found === "≈" ? (group ? "e" : "a") : "u";
        if (!group && tone !== "u") { top.push(row.name); }
        row.node.className = "r" + (leads && i ? " first" : "");
        row.picture.setAttribute("class", "tr v" + tone);
        row.words.className = "vd v" + tone;
        row.words.textContent = leads ? "group " + (group + 1) : tone === "u" ? "undecided" : "equivalent";
        row.less.textContent = !i ? "leader" : leads || !group ? how.text[0][i] : "from " + rows[leader].name + ": " + how.text[leader][i];
      });
      all(".leaders .band", root).forEach(function (band) {
        function at(value) { return Math.min(Math.max(100 * (value - how.axis[0]) / (how.axis[1] - how.axis[0]), 0), 100); }
        var width = margin === null ? how.margin : margin;
        set(band, { x: at(-width) + "%", width: at(width) - at(-width) + "%" });
      });
      return "the top group is " + top.join(", ");
    };
  }

  function copying() {
    var status = one(".copied");
    function by_selection(text) {  // where the browser gives no clipboard to pages from disk
      var area = document.createElement("textarea");
      area.value = text;
      area.setAttribute("readonly", "");
      document.body.appendChild(area);
      area.select();
      var done = document.execCommand("copy");
      document.body.removeChild(area);
      return done;
    }
    all("[data-copy]").forEach(function (button) {
      button.hidden = false;
      button.addEventListener("click", function () {
        var text = document.getElementById(button.getAttribute("data-copy")).textContent;
        function tell(done) {  // emptied first, so that it is read out again
          status.textContent = "";
          var told = done ? "Copied." : "The browser does not allow it; select the text instead.";
          setTimeout(function () { status.textContent = told; }, 50);
        }
        function fallback() { tell(by_selection(text)); button.focus(); }
        if (navigator.clipboard && window.isSecureContext) {
          navigator.clipboard.writeText(text).then(function () { tell(true); }, fallback);
        } else { fallback(); }
      });
    });
  }

  all("[data-live]").forEach(function (root) {
    var how = data(root, "data-live"), kinds = { leaders: leaders, rows: judged_rows };
    explore(root, how, (kinds[how.kind] || posterior)(root, how));
  });
  all(".live").forEach(finding);
  copying();
  var opened = [];
  window.addEventListener("beforeprint", function () {
    opened = all("details:not([open]):not(.list)").filter(function (node) { return !one("pre", node); });
    opened.forEach(function (node) { node.open = true; });
  });
  window.addEventListener("afterprint", function () { opened.forEach(function (node) { node.open = false; }); });
})();
