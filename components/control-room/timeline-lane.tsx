import type { ReactNode } from "react";
import { placed } from "@/lib/client/axis";
import type { Bar, Lane, Mark } from "@/lib/client/lanes";
import { select } from "./selection";
import { factsOfBar, factsOfEnd, factsOfMark } from "./timeline-facts";

// In pixels.
const BAR = 14;
const ROW = 31;
const MARKS = 18;
export const CHARACTER = 6.8;

/** Text in the drawing is hidden from readers: the list and what has focus say it. */
export const small = "fill-soft font-mono text-[11px]";

/** Says what is hovered or focused: an event by its cursor, or a text; null when it no longer is. */
export type Show = (how: "hover" | "focus", what: number | string | null) => void;
export type Place = { x: (time: number) => number; width: number; show: Show };

export const heightOf = ({ marks, rows }: Lane): number => (marks.length > 0 ? MARKS : 0) + rows * ROW + 3;

/** One process: its life as a frame, its attempts in it, what happened above it, and its end. */
export function LaneRow({
  lane,
  now,
  gutter,
  ...place
}: Place & { lane: Lane; now: number; gutter: number }) {
  const { x } = place;
  const { pid, startedAt, endedAt, rows } = lane;
  const top = lane.marks.length > 0 ? MARKS : 0;
  const height = rows * ROW - (ROW - BAR);
  // It may have started before what is drawn.
  const [left, right] = [Math.max(0, x(startedAt)), x(endedAt ?? now)];
  return (
    <>
      <text aria-hidden y={top + 11} className="fill-ink font-mono text-[11px]">
        {pid}
      </text>
      <g transform={`translate(${gutter} 0)`}>
        <rect
          x={left}
          y={top + 0.5}
          width={Math.max(1, right - left)}
          height={height - 1}
          rx={2}
          className="fill-sheet stroke-line"
        />
        {rowsOf(lane).map((inRow) => (
          <Names key={inRow[0]?.sequence} bars={inRow} y={top + BAR + 12} {...place} />
        ))}
        {thingsOf(lane, now, top, place).map(({ sequence, drawn }) => (
          <g key={sequence}>{drawn}</g>
        ))}
      </g>
    </>
  );
}

/** In the order in which they happened, which is the order in which Tab visits them. */
function thingsOf(lane: Lane, now: number, top: number, { x, width, show }: Place) {
  const { bars, marks, endedAt, endSequence } = lane;
  const words = placed(
    marks.map(({ at, kind }) => ({ x: x(at) - 3, texts: [`${signs[kind]} ${kind}`, signs[kind]] })),
    width,
    CHARACTER,
  );
  const things: { sequence: number; drawn: ReactNode }[] = bars.map((bar) => ({
    sequence: bar.sequence,
    drawn: (
      <BarShape
        bar={bar}
        lane={lane}
        left={x(bar.from)}
        right={x(bar.to ?? now)}
        y={top + bar.row * ROW}
        show={show}
      />
    ),
  }));
  marks.forEach((mark, index) => {
    const { x: left, text } = words[index] ?? { x: 0, text: "" };
    things.push({
      sequence: mark.sequence,
      drawn: <MarkShape mark={mark} at={x(mark.at)} left={left} text={text} bottom={top} show={show} />,
    });
  });
  if (endedAt !== null && endSequence !== null) {
    things.push({
      sequence: endSequence,
      drawn: <End lane={lane} at={x(endedAt)} y={top + BAR / 2} show={show} />,
    });
  }
  return things.sort((a, b) => a.sequence - b.sequence);
}

const rowsOf = ({ bars, rows }: Lane): Bar[][] =>
  Array.from({ length: rows }, (_, row) => bars.filter((bar) => bar.row === row));

/** Under each bar its tool and attempt, or what there is room for. */
function Names({ bars, y, x, width }: Place & { bars: Bar[]; y: number }) {
  const labels = bars.map(({ from, tool, attempt, repeated }) => {
    const number = attempt <= 20 ? String.fromCodePoint(0x2460 + attempt - 1) : `${attempt}`;
    const name = `${tool} ${number}`;
    const texts = [...(repeated ? [`${name} again`] : []), name, `${tool.slice(0, 5)}… ${number}`, number];
    return { x: x(from), texts };
  });
  return placed(labels, width, CHARACTER).map(({ x, text }, index) => (
    <text
      key={bars[index]?.sequence}
      aria-hidden
      x={x}
      y={y + (bars[index]?.row ?? 0) * ROW}
      className={small}
    >
      {text}
    </text>
  ));
}

type FactProps = { sequence: number; facts: string; show: Show; children: ReactNode };

/** Something to hover over or to move to with Tab; pressed, it opens its event in the log. */
function Fact({ sequence, facts, show, children }: FactProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a drawing has no buttons
    <g
      role="button"
      aria-label={facts}
      tabIndex={0}
      className="cursor-pointer"
      onClick={() => select(sequence)}
      onKeyDown={(pressed) => {
        if (pressed.key !== "Enter" && pressed.key !== " ") return;
        pressed.preventDefault();
        select(sequence);
      }}
      onMouseEnter={() => show("hover", sequence)}
      onMouseLeave={() => show("hover", null)}
      onFocus={() => show("focus", sequence)}
      onBlur={() => show("focus", null)}
    >
      {children}
    </g>
  );
}

const barLooks: Record<Bar["outcome"], string> = {
  completed: "fill-accent stroke-accent",
  running: "fill-accent/60 stroke-accent",
  cut: "fill-accent/30 stroke-accent [stroke-dasharray:3_2]",
  failed: "fill-soft/40 stroke-soft",
  held: "fill-accent/30 stroke-accent",
  released: "fill-accent/60 stroke-accent",
  lost: "fill-soft/20 stroke-soft [stroke-dasharray:3_2]",
};

type BarProps = { bar: Bar; lane: Lane; left: number; right: number; y: number; show: Show };

function BarShape({ bar, lane, left, right, y, show }: BarProps) {
  const width = Math.max(3, right - left);
  return (
    <Fact sequence={bar.sequence} facts={factsOfBar(bar, lane)} show={show}>
      <rect
        x={left - 2}
        y={y - 3}
        width={Math.max(width + 4, 10)}
        height={BAR + 6}
        className="fill-transparent"
      />
      <rect x={left + 0.5} y={y + 1.5} width={width - 1} height={BAR - 3} className={barLooks[bar.outcome]} />
    </Fact>
  );
}

const signs: Record<Mark["kind"], string> = {
  "in doubt": "?",
  approved: "✓",
  denied: "–",
  interrupted: "‖",
  completed: "●",
  failed: "!",
  checkpoint: "▪",
  refused: "⊘",
  paused: "‖",
  continued: "▸",
};

type MarkProps = { mark: Mark; at: number; left: number; text: string; bottom: number; show: Show };

function MarkShape({ mark, at, left, text, bottom, show }: MarkProps) {
  const doubt = mark.kind === "in doubt";
  return (
    <Fact sequence={mark.sequence} facts={factsOfMark(mark)} show={show}>
      <rect x={at - 5} y={bottom - 16} width={10} height={15} className="fill-transparent" />
      <path
        d={`M${at} ${bottom - 4}v${BAR + 4}`}
        strokeWidth={doubt ? 3 : 1}
        className={doubt ? "stroke-doubt" : "stroke-soft"}
      />
      <text x={left} y={bottom - 6} className={`font-mono text-[11px] ${doubt ? "fill-doubt" : "fill-soft"}`}>
        {text}
      </text>
    </Fact>
  );
}

function End({ lane, at, y, show }: { lane: Lane; at: number; y: number; show: Show }) {
  return (
    <Fact sequence={lane.endSequence ?? 0} facts={factsOfEnd(lane)} show={show}>
      <rect x={at - 6} y={y - 8} width={12} height={16} className="fill-transparent" />
      {lane.end === "killed" ? (
        <path d={`M${at - 4} ${y - 4}l8 8m0 -8l-8 8`} strokeWidth={2} className="stroke-death" />
      ) : (
        <path d={`M${at} ${y - BAR / 2}v${BAR}`} strokeWidth={2} className="stroke-soft" />
      )}
    </Fact>
  );
}
