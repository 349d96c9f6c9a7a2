/** What others wrote is shown, never obeyed by a terminal: no escape sequences, no turning of the text's direction. */
export const visible = (text: string): string =>
  text.replace(
    /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** What is one line must not look like two, whatever was written into it. */
export const oneLine = (text: string): string => visible(text).replace(/\n/g, "\\n");
