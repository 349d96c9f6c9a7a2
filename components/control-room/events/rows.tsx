import { defaultRangeExtractor, type Range, useVirtualizer } from "@tanstack/react-virtual";
import {
  type Dispatch,
  type KeyboardEvent,
  type RefObject,
  type SetStateAction,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { countUpTo, lineAt, lineOf, openRows, placeOf, rowOf } from "@/lib/client/event-rows";
import type { Envelope } from "@/lib/log/event";
import { Json, ROW_HEIGHT, Row } from "./row";
import { useEnd } from "./use-end";

/** A log of so many lines is drawn whole; of a longer one what is in sight, */
const DRAWN_WHOLE = 150;
/** and so many lines on either side of it: each one more makes a jump dearer. */
const OVERSCAN = 12;
/** What a page key passes over. */
const PAGE = 10;

const COLUMNS = [
  { name: "#", width: "w-[62px] pl-2.5" },
  { name: "time", width: "w-[102px]" },
  { name: "type", width: "" },
  { name: "tool, field", width: "w-[98px]" },
  { name: "attempt", width: "w-[54px]" },
  { name: "pid", width: "w-[58px]" },
];

interface RowsProps {
  rows: readonly Envelope[];
  label: string;
  /** The cursors of the events whose JSON is open. */
  open: ReadonlySet<number>;
  setOpen: Dispatch<SetStateAction<ReadonlySet<number>>>;
  /** A row to open and bring into sight, */
  selected: number | null;
  /** unless that was done already: what a reader does with it then is their own. */
  revealed: RefObject<number | null>;
  onToggle?(sequence: number, opened: boolean): void;
}

/** The rows, in a region of their own that scrolls. Only those in and near sight are in the page. */
export function Rows({ rows, label, open, setOpen, selected, revealed, onToggle }: RowsProps) {
  /** The row that the reader was in last; Tab comes back to it. */
  const [visited, setVisited] = useState<number | null>(null);
  const scroller = useRef<HTMLElement>(null);
  const opened = useMemo(() => openRows(rows, open), [rows, open]);
  const lines = rows.length + opened.length;
  const visitedRow = visited === null ? -1 : rowOf(rows, visited);
  const stop = visitedRow >= 0 ? visitedRow : rows.length - 1;

  const virtualizer = useVirtualizer({
    count: lines,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: lines <= DRAWN_WHOLE ? DRAWN_WHOLE : OVERSCAN,
    getItemKey: useCallback(
      (index: number) => {
        const { row, json } = lineAt(opened, index);
        const sequence = rows[row]?.sequence ?? 0;
        // A number is the cheaper key, and there is one for each row of a long log.
        return json ? -sequence : sequence;
      },
      [rows, opened],
    ),
    // The row that Tab reaches, and that may have the focus, stays in the page wherever it is.
    rangeExtractor: (range: Range) => {
      const indexes = defaultRangeExtractor(range);
      const line = lineOf(opened, stop);
      if (stop < 0 || indexes.includes(line)) return indexes;
      return [...indexes, line].sort((a, b) => a - b);
    },
  });
  const size = virtualizer.getTotalSize();
  const { seen, follow, onScroll } = useEnd({
    scroller,
    last: rows.at(-1)?.sequence ?? 0,
    size,
    height: virtualizer.scrollRect?.height ?? 0,
  });
  const unseen = seen === null ? 0 : rows.length - countUpTo(rows, seen);

  const justOpened = useRef<number | null>(null);
  const toggle = (sequence: number) => {
    const after = new Set(open);
    const opened = !after.delete(sequence);
    if (opened) after.add(sequence);
    setOpen(after);
    justOpened.current = sequence;
    // It is in sight already.
    if (opened) revealed.current = sequence;
    onToggle?.(sequence, opened);
  };
  const latest = useRef(toggle);
  latest.current = toggle;
  const onPress = useCallback((sequence: number) => latest.current(sequence), []);

  useEffect(() => {
    if (selected === revealed.current || (selected !== null && rowOf(rows, selected) < 0)) return;
    revealed.current = selected;
    if (selected === null) return;
    setOpen((before) => new Set(before).add(selected));
    setVisited(selected);
    virtualizer.scrollToIndex(lineOf(opened, rowOf(rows, selected)), { align: "center" });
    scroller.current?.scrollIntoView({ block: "nearest" });
  }, [selected, revealed, rows, opened, setOpen, virtualizer]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever something was opened
  useLayoutEffect(() => {
    if (justOpened.current !== null && scroller.current) reveal(scroller.current, justOpened.current);
    justOpened.current = null;
  }, [open]);

  const moving = useRef(false);
  const onKeyDown = (pressed: KeyboardEvent<HTMLElement>) => {
    if (!(pressed.target instanceof HTMLButtonElement)) return;
    if (pressed.altKey || pressed.ctrlKey || pressed.metaKey || pressed.shiftKey) return;
    const to = goesTo(pressed.key, stop, rows.length - 1);
    if (to === null) return;
    pressed.preventDefault();
    moving.current = true;
    setVisited(rows[to]?.sequence ?? null);
  };
  // The row was not in the page, perhaps, when its key was pressed.
  useLayoutEffect(() => {
    if (!moving.current) return;
    moving.current = false;
    scroller.current?.querySelector<HTMLElement>(`[data-event="${visited}"]`)?.focus();
  }, [visited]);

  const drawn = [];
  let end = 0;
  for (const { index, key, start, end: itsEnd } of virtualizer.getVirtualItems()) {
    if (start > end) drawn.push(<Gap key={`before ${key}`} height={start - end} />);
    end = itsEnd;
    const { row, json } = lineAt(opened, index);
    const event = rows[row];
    if (!event) continue;
    const line = { event, index, place: placeOf(rows, row), measure: virtualizer.measureElement };
    drawn.push(
      json ? (
        <Json key={key} {...line} />
      ) : (
        <Row
          key={key}
          {...line}
          open={open.has(event.sequence)}
          stop={row === stop}
          toggle={onPress}
          visit={setVisited}
        />
      ),
    );
  }
  if (size > end) drawn.push(<Gap key="after" height={size - end} />);

  return (
    <div className="relative">
      <section
        ref={scroller}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        tabIndex={0}
        aria-label={label}
        // The browser's own anchoring would move what the virtualizer has placed already.
        className="relative max-h-[46vh] scroll-pt-7 overflow-auto [contain:layout_paint] [overflow-anchor:none]"
        onScroll={onScroll}
        onKeyDown={onKeyDown}
      >
        <table
          aria-rowcount={lines + 1}
          className="w-full min-w-[520px] table-fixed border-separate border-spacing-0 font-mono text-[13px]"
        >
          <thead>
            <tr aria-rowindex={1} className="text-left font-sans text-xs text-soft">
              {COLUMNS.map(({ name, width }) => (
                <th
                  key={name}
                  scope="col"
                  className={`sticky top-0 z-1 bg-sheet py-0.5 pr-2 font-medium ${width}`}
                >
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{drawn}</tbody>
        </table>
        {rows.length === 0 ? (
          <p className="border-t border-line py-1 text-soft">No event of this kind.</p>
        ) : null}
      </section>
      {unseen > 0 ? (
        <button
          type="button"
          className="absolute right-3 bottom-2 z-1 rounded-full border border-accent bg-sheet px-2.5 py-0.5 text-[13px] text-accent hover:bg-accent-ground"
          onClick={() => {
            follow();
            // The button goes away: the focus must not go with it.
            scroller.current?.focus({ preventScroll: true });
          }}
        >
          {unseen} new
        </button>
      ) : null}
    </div>
  );
}

/** Room for the rows that are not drawn. */
function Gap({ height }: { height: number }) {
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: an empty row without a button is no stop for the focus
    <tr aria-hidden="true">
      <td colSpan={6} style={{ height, padding: 0 }} />
    </tr>
  );
}

function goesTo(key: string, from: number, last: number): number | null {
  const to = {
    ArrowUp: from - 1,
    ArrowDown: from + 1,
    PageUp: from - PAGE,
    PageDown: from + PAGE,
    Home: 0,
    End: last,
  }[key];
  return to === undefined ? null : Math.min(Math.max(to, 0), last);
}

/** Brings what was opened into sight, as far as its row stays there too. */
function reveal(scroller: HTMLElement, sequence: number): void {
  const row = scroller.querySelector(`[data-event="${sequence}"]`)?.closest("tr");
  const json = row?.nextElementSibling;
  if (!row?.hasAttribute("data-open") || !json) return;
  const head = scroller.querySelector("th")?.getBoundingClientRect().bottom ?? 0;
  const below = json.getBoundingClientRect().bottom - scroller.getBoundingClientRect().bottom;
  const above = row.getBoundingClientRect().top - head;
  if (below > 0 && above > 0) scroller.scrollTop += Math.min(below, above);
}
