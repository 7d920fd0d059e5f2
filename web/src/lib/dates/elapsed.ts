const MAX_SECONDS = 86_400

/** How many seconds a timer has been running. The server stops it after 24 hours. */
export const elapsedSeconds = (started_at: string, at: number = Date.now()): number =>
  Math.min(Math.max(0, Math.floor((at - Date.parse(started_at)) / 1000)), MAX_SECONDS)
