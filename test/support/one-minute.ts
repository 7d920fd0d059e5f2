/** Preloaded: the time of a server stands still, so that all that it counts is of one minute. */
const at = Number(process.env.TEST_STANDING_AT)
if (at > 0) Date.now = () => at

/** How a server is started whose time stands still, in all of its processes. */
export const oneMinute = (): Record<string, string> => ({
  NODE_OPTIONS: `--import=${import.meta.url}`,
  TEST_STANDING_AT: String(Date.now()),
})
