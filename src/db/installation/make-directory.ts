import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Creates a directory and those above it, unless it exists. Not by `recursive` of Node: where nothing
 * can be created, as in /proc, that tries for ever.
 */
export function makeDirectory(path: string, mode = 0o777): void {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat?.isDirectory()) return
  if (!stat && dirname(path) !== path) makeDirectory(dirname(path), mode)
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error
  }
}
