import { signal } from '../lib/signal.ts'

/** Whether the server has a newer app than this page: it is offered, never loaded by itself. */
export const newVersion = signal(false)

let mine: string | undefined

/** Compares what a reply tells of the app's version with the first that was told. */
export function noteVersion(version: string | undefined): void {
  mine ??= version
  if (version !== undefined && version !== mine) newVersion.set(true)
}

// A chunk of this version that is gone: the server was updated since the page was opened.
addEventListener('vite:preloadError', () => {
  newVersion.set(true)
})
