/**
 * Makes a cell runnable. Types are stripped; names that it declares at its top level go to a scope that all cells
 * share, so that they carry over; its last expression is its value. Done on the syntax tree, never on the text.
 */
import { type Pattern, type Program, parse } from "acorn";
import MagicString from "magic-string";
import { transform as strip } from "sucrase";
import { RelightError } from "../errors";

/** What the shared scope is called inside a cell's function. */
export const SCOPE = "__scope";

export interface Runnable {
  /** What runs inside `with (__scope)`, line for line as it was written. */
  body: string;
  /** Names that it declares at its top level. */
  names: string[];
}

type Statement = Program["body"][number];

/** @throws INVALID with the line, if it cannot be parsed */
export function transform(code: string): Runnable {
  const js = withLine(
    () =>
      strip(code, { transforms: ["typescript"], disableESTransforms: true, keepUnusedImports: true }).code,
  );
  const program = withLine(() =>
    parse(js, {
      ecmaVersion: "latest",
      sourceType: "module",
      allowAwaitOutsideFunction: true,
      locations: true,
    }),
  );
  const text = new MagicString(js);
  const names = new Set<string>();
  program.body.forEach((statement, index) => {
    const last = index === program.body.length - 1;
    rewrite(statement, last, text, names);
  });
  return { body: text.toString(), names: [...names] };
}

function rewrite(node: Statement, last: boolean, text: MagicString, names: Set<string>): void {
  switch (node.type) {
    case "VariableDeclaration": {
      for (const { id } of node.declarations) for (const name of namesOf(id)) names.add(name);
      const [first, ...others] = node.declarations;
      if (!first) return;
      // `const { a } = b, c = d;` → `({ a } = b), (c = d);`
      text.overwrite(node.start, first.start, ";");
      for (const declaration of [first, ...others]) {
        text.appendLeft(declaration.start, "(");
        text.appendRight(declaration.end, declaration.init ? ")" : " = undefined)");
      }
      return;
    }

    case "FunctionDeclaration":
      // It stays where it is, hoisted in its cell as ever, and is put into the scope before anything runs.
      names.add(node.id.name);
      text.prepend(`${SCOPE}.${node.id.name} = ${node.id.name};`);
      return;

    case "ClassDeclaration":
      names.add(node.id.name);
      text.appendLeft(node.start, `;${node.id.name} = `);
      text.appendRight(node.end, ";");
      return;

    case "ExpressionStatement":
      if (!last) return;
      // From the statement's own ends: the expression's leave out parentheses around it.
      text.appendLeft(node.start, "return (");
      text.appendRight(text.original.endsWith(";", node.end) ? node.end - 1 : node.end, ")");
      return;

    case "ImportDeclaration":
    case "ExportNamedDeclaration":
    case "ExportDefaultDeclaration":
    case "ExportAllDeclaration":
      throw refused(
        node.loc?.start.line,
        "cells have no import and no export; relight, show and sleep are there",
      );

    default:
      return;
  }
}

/** Every name that a pattern binds. */
function namesOf(pattern: Pattern): string[] {
  switch (pattern.type) {
    case "Identifier":
      return [pattern.name];
    case "ObjectPattern":
      return pattern.properties.flatMap((property) =>
        namesOf(property.type === "RestElement" ? property.argument : property.value),
      );
    case "ArrayPattern":
      return pattern.elements.flatMap((element) => (element ? namesOf(element) : []));
    case "RestElement":
      return namesOf(pattern.argument);
    case "AssignmentPattern":
      return namesOf(pattern.left);
    default:
      return [];
  }
}

/** Both parsers say the line in their message, `… (3:14)`, and in `loc`. */
function withLine<T>(parseIt: () => T): T {
  try {
    return parseIt();
  } catch (error) {
    const { loc, message } = error as { loc?: { line: number }; message: string };
    throw refused(loc?.line, message.replace(/^Error transforming [^:]*: /, "").replace(/ \(\d+:\d+\)$/, ""));
  }
}

const refused = (line: number | undefined, message: string): RelightError =>
  new RelightError("INVALID", `line ${line ?? "?"}: ${message}.`, { line });
