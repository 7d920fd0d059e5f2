const MOST = 86_400

/** How long a timer has been running, in seconds: 24 hours at the most, when the server stops it. */
export const elapsed = (started_at: string, at: number = Date.now()): number =>
  Math.min(Math.max(0, Math.floor((at - Date.parse(started_at)) / 1000)), MOST)
