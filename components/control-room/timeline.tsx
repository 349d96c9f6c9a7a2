import { type RefObject, useLayoutEffect, useMemo, useRef, useState } from "react";
import { type Axis, axisOf, inWords, placed } from "@/lib/client/axis";
import { type Lane, type Lanes, lanesOf, tell } from "@/lib/client/lanes";
import type { Envelope } from "@/lib/log/event";
import { Panel } from "../ui/panel";
import { factsOf } from "./timeline-facts";
import { CHARACTER, heightOf, LaneRow, type Place, type Show, small } from "./timeline-lane";

// In pixels.
const GUTTER = 54;
const HEAD = 20;
const FOOT = 37;
const LINE = 13;

const nothing = { hover: null, focus: null };

/**
 * One lane a process, one bar an attempt, a cross where it died.
 * @param now milliseconds since 1970; how far the bars of what still runs reach
 */
export function Timeline({ events, now }: { events: readonly Envelope[]; now: number }) {
  const lanes = useMemo(() => lanesOf(events), [events]);
  const [shown, setShown] = useState<Record<"hover" | "focus", number | string | null>>(nothing);
  const what = shown.hover ?? shown.focus;
  // By its cursor, so that the line changes when what it tells of ends.
  const facts = typeof what === "number" ? factsOf(lanes.lanes, what) : what;
  return (
    <Panel title="Timeline">
      {lanes.lanes.length === 0 ? (
        <p className="text-soft">No process yet.</p>
      ) : (
        <div className="@container">
          <ul className="sr-only">
            {lanes.lanes.map((lane) => (
              <li key={lane.sequence}>{tell(lane)}</li>
            ))}
          </ul>
          <Drawing
            lanes={lanes.lanes}
            axis={axisOf(lanes, now)}
            now={Math.max(now, lanes.to)}
            show={(how, what) => setShown((shown) => ({ ...shown, [how]: what }))}
          />
          <Earlier {...lanes.earlier} />
          <p className="min-h-[3lh] break-words text-[13px] text-soft @md:min-h-[2lh]" data-testid="facts">
            {facts ??
              "Hover over a bar or a mark, or move to it with Tab, to read of it. Press it to open its event."}
          </p>
        </div>
      )}
    </Panel>
  );
}

function Earlier({ processes, attempts }: Lanes["earlier"]) {
  const of = (n: number, one: string, many: string) => (n === 0 ? [] : [`${n} ${n === 1 ? one : many}`]);
  const what = [...of(processes, "process", "processes"), ...of(attempts, "attempt", "attempts")];
  if (what.length === 0) return null;
  return (
    <p className="text-[13px] text-soft">
      {what.join(" and ")} before that {processes + attempts === 1 ? "is" : "are"} not drawn. Move the slider
      of the log to see them.
    </p>
  );
}

function Drawing({ lanes, axis, now, show }: { lanes: Lane[]; axis: Axis; now: number; show: Show }) {
  const [box, width] = useWidth();
  const x = (time: number) => axis.at(time) * (width - GUTTER);
  const several = new Set(lanes.map(({ agent }) => agent)).size > 1;
  // Heights follow from the log only, so that nothing below moves while time goes by.
  let y = 0;
  const drawn = lanes.map((lane, index) => {
    const named = several && lanes[index - 1]?.agent !== lane.agent;
    const top = y + (named ? HEAD : 0);
    y = top + heightOf(lane);
    return { lane, named, top };
  });
  return (
    <div ref={box}>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is a form's */}
      <svg
        role="group"
        aria-label="Processes over time"
        width="100%"
        height={y + FOOT}
        className="block overflow-visible"
      >
        <g transform={`translate(${GUTTER} 0)`}>
          <Scale axis={axis} x={x} y={y} width={width - GUTTER} show={show} />
        </g>
        {drawn.map(({ lane, named, top }) => (
          <g key={lane.sequence} transform={`translate(0 ${top})`}>
            {named ? (
              <text aria-hidden y={-7} className={small}>
                {lane.agent}
              </text>
            ) : null}
            <LaneRow lane={lane} now={now} gutter={GUTTER} x={x} width={width - GUTTER} show={show} />
          </g>
        ))}
      </svg>
    </div>
  );
}

/** What was left out of the axis, and how long a second is. */
function Scale({ axis: { breaks, second }, x, y, width, show }: Place & { axis: Axis; y: number }) {
  const unit = [1, 5, 10, 60].find((seconds) => seconds * second * width >= 16) ?? 60;
  const end = width - 32;
  const lengths = breaks.map(({ from, to }) => {
    const text = inWords(to - from);
    return { x: (x(from) + x(to) - text.length * CHARACTER) / 2, texts: [text] };
  });
  // What has no room beside the scale, or beside another one, is said on the line below.
  const free = end - unit * second * width - 8;
  const beside = lengths.filter(({ x, texts: [text = ""] }) => x + text.length * CHARACTER < free);
  const upper = placed(beside, width, CHARACTER);
  const below = lengths.filter((each) => upper[beside.indexOf(each)]?.text !== each.texts[0]);
  const lower = placed(below, width, CHARACTER);
  const labels = [
    ...upper.map((label) => ({ ...label, y: y + 19 })),
    ...lower.map((label) => ({ ...label, y: y + 19 + LINE })),
  ].filter(({ text }) => text !== "");
  return (
    <g aria-hidden>
      <path d={`M0 ${y + 3.5}H${width}`} className="stroke-line" />
      {breaks.map(({ from, to }) => {
        const [left, right] = [x(from), x(to)];
        const middle = (left + right) / 2;
        return (
          // biome-ignore lint/a11y/noStaticElementInteractions: only repeats what the drawing leaves out
          <g
            key={from}
            onMouseEnter={() =>
              show("hover", `${inWords(to - from)} in which no attempt ran, drawn shorter than it was.`)
            }
            onMouseLeave={() => show("hover", null)}
          >
            <rect x={left} width={right - left} height={y + 3} className="fill-sunk" />
            <path d={`M${middle - 2} ${y + 3.5}h4`} strokeWidth={2} className="stroke-sheet" />
            <path d={`M${middle - 4} ${y + 8}l4 -9m0 9l4 -9`} className="fill-none stroke-soft" />
          </g>
        );
      })}
      {labels.map(({ x, y, text }) => (
        <text key={`${x} ${y}`} x={x} y={y} className={small}>
          {text}
        </text>
      ))}
      <path
        d={`M${end - 4} ${y + 12.5}v5m0 -2.5h${-unit * second * width}m0 -2.5v5`}
        className="fill-none stroke-soft"
      />
      <text x={width} y={y + 19} textAnchor="end" className={small}>
        {inWords(unit * 1000)}
      </text>
    </g>
  );
}

/** How wide it is drawn: known before the first paint. */
function useWidth(): [RefObject<HTMLDivElement | null>, number] {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(312);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    // Nothing is measured while it is hidden, as in a sheet that is closed.
    const measure = () => element.clientWidth > GUTTER && setWidth(element.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [box, width];
}
