import { memo } from "react";
import type { Place } from "@/lib/client/event-rows";
import { type Envelope, shortType } from "@/lib/log/event";
import { clock } from "../words";

/** A row is so high until it is measured, in pixels. */
export const ROW_HEIGHT = 26;

interface LineProps {
  event: Envelope;
  /** The line in the table, from 0. */
  index: number;
  place: Place;
  measure(element: HTMLElement | null): void;
}

interface RowProps extends LineProps {
  open: boolean;
  /** Is this the one row that Tab reaches? Arrow keys go from there. */
  stop: boolean;
  toggle(sequence: number): void;
  visit(sequence: number): void;
}

/** Memoised: scrolling draws the rows that come into sight, and no other. */
export const Row = memo(function Row({ event, index, place, measure, open, stop, toggle, visit }: RowProps) {
  const { sequence } = event;
  const { tool, field, attempt, pid } = event.data as {
    tool?: { name: string };
    field?: string;
    attempt?: number;
    pid?: number;
  };
  const target = tool?.name ?? field;
  const together = place === "middle" || place === "last";
  const cell = `h-[26px] pr-2 ${together ? "" : "border-t border-line"}`;
  return (
    <tr
      ref={measure}
      data-index={index}
      data-open={open || undefined}
      aria-rowindex={index + 2}
      className={`whitespace-nowrap ${toneOf(event.type)}`}
    >
      <td className={`relative pl-2.5 ${cell}`}>
        <Bracket place={place} />
        <button
          type="button"
          data-event={sequence}
          aria-expanded={open}
          tabIndex={stop ? 0 : -1}
          className="underline underline-offset-2"
          onClick={() => toggle(sequence)}
          onFocus={() => visit(sequence)}
        >
          <span className="sr-only">Event </span>
          {sequence}
        </button>
        {together ? <span className="sr-only">, written with the one above</span> : null}
      </td>
      <td className={cell}>{clock(event.time, 3)}</td>
      <td className={`truncate ${cell}`}>{shortType(event.type)}</td>
      <td className={`truncate ${cell}`} title={target}>
        {target}
      </td>
      <td className={cell}>{attempt}</td>
      <td className={cell}>{pid}</td>
    </tr>
  );
});

/** What an open row opens. */
export const Json = memo(function Json({ event, index, place, measure }: LineProps) {
  return (
    <tr ref={measure} data-index={index} data-open aria-rowindex={index + 2}>
      <td colSpan={6} className="relative pb-1 pl-2.5">
        <Bracket place={place === "first" || place === "middle" ? "middle" : "alone"} />
        <pre className="whitespace-pre-wrap break-all bg-sunk p-2 text-xs">
          {JSON.stringify(event, null, 2)}
        </pre>
      </td>
    </tr>
  );
});

/** A line down the side of the rows that one commit wrote. */
function Bracket({ place }: { place: Place }) {
  if (place === "alone") return null;
  const top = place === "first" ? "top-[7px] border-t" : "top-0";
  const bottom = place === "last" ? "bottom-[7px] border-b" : "bottom-0";
  return <span aria-hidden className={`absolute left-0.5 w-1 border-l border-soft ${top} ${bottom}`} />;
}

function toneOf(type: string): string {
  if (type === "relight.agent.crashed" || type === "relight.run.failed") return "bg-death-ground text-death";
  const doubt = type.startsWith("relight.interrupt.") || type === "relight.run.interrupted";
  return doubt ? "bg-doubt-ground text-doubt" : "";
}
