import { useNow } from "../ui/use-now";
import { Timeline } from "./timeline";
import { useCanAct, useView } from "./view";

/** The timeline of what is shown: it grows while a process lives, and stands still in the past. */
export function LiveTimeline() {
  const { events, agents } = useView();
  const canAct = useCanAct();
  const ticks = canAct && Object.values(agents).some(({ process }) => process !== null);
  const now = useNow(ticks);
  const last = events.at(-1);
  return <Timeline events={events} now={canAct || !last ? now : Date.parse(last.time)} />;
}
