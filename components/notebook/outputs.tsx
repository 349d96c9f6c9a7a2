import { CHANGED, type Output } from "@/lib/notebooks/output";
import { EventsTable } from "../control-room/events-table";
import { Button } from "../ui/button";
import { Diagram } from "./diagram";
import { Highlighted } from "./highlighted";

interface OutputsProps {
  outputs: Output[];
  /** Their kernel has ended: buttons do nothing any more. */
  spent: boolean;
  press(buttons: string, label: string): void;
}

export function Outputs({ outputs, spent, press }: OutputsProps) {
  if (outputs.length === 0) return null;
  return (
    <div className="mt-2 grid grid-cols-[minmax(0,1fr)] gap-2 border-l-2 border-accent pl-3.5 text-[14px]">
      {outputs.map((output, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: outputs are only ever appended
        <OutputView key={index} output={output} spent={spent} press={press} />
      ))}
    </div>
  );
}

function OutputView({ output, spent, press }: Omit<OutputsProps, "outputs"> & { output: Output }) {
  switch (output.kind) {
    case "text":
    case "json":
      return <pre className="whitespace-pre-wrap break-words font-mono">{output.text}</pre>;
    case "log":
      return <pre className="whitespace-pre-wrap break-words font-mono text-soft">{output.text}</pre>;
    case "error":
      return (
        <div role="alert" className="text-death">
          {output.code ? `${output.code}: ` : ""}
          {output.message}
          {output.line === null ? null : <span className="text-soft"> (line {output.line})</span>}
        </div>
      );
    case "table":
      return <TableView table={output} />;
    case "diagram":
      return <Diagram source={output.source} />;
    case "frame":
      return <Outputs outputs={output.content} spent={spent} press={press} />;
    case "events":
      return <EventsTable agent={output.agent} />;
    case "source":
      return (
        <figure>
          <figcaption className="font-mono text-[13px] text-soft">
            {output.name}
            {output.runs ? ", the file that runs" : CHANGED}
          </figcaption>
          <section
            aria-label={`Source of ${output.name}`}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
            tabIndex={0}
            className="max-h-96 overflow-auto rounded-md border border-line bg-code p-3"
          >
            <Highlighted code={output.code} />
          </section>
        </figure>
      );
    case "buttons":
      return (
        <div className="flex flex-wrap items-center gap-3">
          {output.labels.map((label) => (
            <Button
              key={label}
              tone="doubt"
              disabled={spent || output.pressed !== null || output.why !== null}
              onClick={() => press(output.id, label)}
            >
              {label}
            </Button>
          ))}
          {output.pressed !== null ? (
            <span className="text-[13px] text-soft">{output.pressed} was pressed.</span>
          ) : null}
          {output.why !== null ? <span className="text-[13px] text-soft">{output.why}</span> : null}
          {output.pressed === null && output.why === null && spent ? (
            <span className="text-[13px] text-soft">
              From an earlier kernel: run the cell again to press.
            </span>
          ) : null}
        </div>
      );
  }
}

function TableView({ table: { name, columns, rows, total } }: { table: Extract<Output, { kind: "table" }> }) {
  return (
    <section
      aria-label={name}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      className="max-h-96 overflow-auto"
    >
      <table className="w-full border-collapse font-mono text-[13px]">
        <caption className="text-left font-sans text-[13px] text-soft">
          {name}, {total === 1 ? "1 row" : `${total} rows`}
          {total > rows.length ? ` (the first ${rows.length} are shown)` : ""}
        </caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th
                key={column}
                scope="col"
                className="py-0.5 pr-3 text-left font-sans text-xs font-medium text-soft"
              >
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows never move
            <tr key={index} className="border-t border-line">
              {row.map((cell, column) => (
                <td key={columns[column]} className="whitespace-pre-wrap pr-3 align-top">
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
