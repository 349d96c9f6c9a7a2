import type { Definition, Failure } from "./events";
import type { ToolFacts } from "./ipc";
import type { Call } from "./state";
import type { Capability, CapabilityRef, Tool } from "./tool";

/** The tools that are registered now, in the process that runs them. */
export class Toolbox {
  readonly #tools = new Map<string, { tool: Tool; capability: string }>();

  /** @throws if a module does not load, or two tools have one name */
  static async load(capabilities: Record<string, CapabilityRef>): Promise<Toolbox> {
    const toolbox = new Toolbox();
    for (const [capability, { module, options = {} }] of Object.entries(capabilities)) {
      const loaded = (await import(/* turbopackIgnore: true */ module)) as Partial<Capability>;
      if (typeof loaded.tools !== "function")
        throw new Error(`capability ${capability}: expected a function tools().`);
      for (const tool of loaded.tools(options)) {
        const twin = toolbox.#tools.get(tool.name);
        if (twin)
          throw new Error(`capability ${capability}: ${twin.capability} has a tool ${tool.name} already.`);
        toolbox.#tools.set(tool.name, { tool, capability });
      }
    }
    return toolbox;
  }

  /** A tool that this agent may use, if it is registered. */
  get(name: string, definition: Definition): Tool | undefined {
    const found = this.#tools.get(name);
    return found && definition.tools.includes(found.capability) ? found.tool : undefined;
  }

  /** The tools that a definition offers to its model. */
  offered(definition: Definition): Tool[] {
    return [...this.#tools.values()]
      .filter(({ capability }) => definition.tools.includes(capability))
      .map(({ tool }) => tool);
  }

  /** Why a call cannot be started: the model reads it. */
  refuse(call: Call, definition: Definition): Failure | null {
    const tool = this.get(call.tool, definition);
    const before = call.attempts.length > 0 ? " An earlier attempt may have gone through." : "";
    if (!tool) {
      const names = this.offered(definition).map(({ name }) => name);
      return {
        code: "UNKNOWN_TOOL",
        message: `There is no tool ${call.tool}; there are: ${names.join(", ")}.${before}`,
      };
    }
    const parsed = tool.parse(call.input);
    return parsed.ok
      ? null
      : { code: "INVALID_ARGUMENTS", message: `${call.tool}: ${parsed.message}${before}` };
  }

  facts(): ToolFacts[] {
    return [...this.#tools.values()].map(({ tool: { parse: _, run: __, ...facts }, capability }) => ({
      ...facts,
      capability,
    }));
  }
}
