let merging: Promise<typeof import('../../lib/text/merge-text.ts')> | undefined

/** Loads what merges texts. It is loaded after the task, because few ever need it. */
export const loadMerging = () => {
  merging ??= import('../../lib/text/merge-text.ts')
  return merging
}

/**
 * Merges two versions of a text whose changed lines do not touch. Undefined if they do, or if what
 * merges texts cannot be loaded: then the person merges them.
 */
export async function mergeVersions(
  base: string,
  mine: string,
  theirs: string,
): Promise<string | undefined> {
  const loaded = await loadMerging().catch(() => undefined)
  const pieces = loaded?.mergeText(base, mine, theirs)
  if (!loaded || !pieces || pieces.some(({ kind }) => kind === 'clash')) return
  return loaded.joinPieces(pieces)
}
