/**
 * Returns replies that were counted in a single minute of the rate limits. If the minute ends in
 * between, it asks again in the next one, so `ask` must begin with a workspace without requests.
 */
export async function withinOneMinute<R extends { headers: object }>(
  ask: () => Promise<R[]>,
): Promise<R[]> {
  const replies = await ask()
  const minutes = new Set(
    replies.flatMap(({ headers }) =>
      Object.entries(headers).flatMap(([name, value]) =>
        name === 'x-ratelimit-reset' ? [String(value)] : [],
      ),
    ),
  )
  return minutes.size === 1 ? replies : withinOneMinute(ask)
}
