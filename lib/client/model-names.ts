/** The models that notebooks ask unless they are told: Claude where there is a key, else the stand-in. */
export const CLAUDE = "anthropic:claude-haiku-4-5";
export const SCRIPTED = "scripted:shop";
