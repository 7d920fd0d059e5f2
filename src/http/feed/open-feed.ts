import type { FeedPage } from '#core/route.ts'

/** A feed as one request reads it: with the rights of its actor, and positions as texts. */
export interface OpenFeed {
  read(after: unknown, limit: number): Promise<FeedPage>
  toToken(position: unknown): string
  /** Of a feed with hints: which of these projects the actor sees. */
  loadVisibleProjects?(project_ids: readonly string[]): Promise<readonly string[]>
}

/**
 * How long to wait before a stuck read is repeated: a change of rights takes effect for a cached
 * credential within 200 ms.
 */
export const STUCK_RETRY_MS = 100

/**
 * Whether a page has got nowhere, as while the rights of the reader change. Reading on at once would
 * only repeat it.
 */
export const isStuck = (
  { toToken }: OpenFeed,
  after: unknown,
  { entries, position, has_more }: FeedPage,
): boolean =>
  has_more && entries.length === 0 && (after === undefined || toToken(after) === toToken(position))
