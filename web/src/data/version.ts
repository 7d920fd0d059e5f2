import { Unreachable } from '../lib/problem.ts'
import { reach } from '../lib/reach.ts'
import { signal } from '../lib/signal.ts'
import { m } from '../messages/data.ts'

/** Whether the server has a newer app than this page: it is offered, never loaded by itself. */
export const newVersion = signal(false)

/** Compares the script of this page with the one that the server would give now. */
export async function checkVersion(): Promise<void> {
  const mine = document.querySelector<HTMLScriptElement>('script[type="module"][src]')?.src
  if (!mine || newVersion.get()) return
  const page = await reach('/sign-in', { cache: 'no-store' })
  if (page.ok && !(await page.text()).includes(new URL(mine).pathname)) newVersion.set(true)
}

/** A screen that this page cannot load: the server is of another version by now, or does not answer. */
export class ScreenMissing extends Error {}

/** What loads a part of the app; where that fails it is found out why. */
export async function part<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (cause) {
    await checkVersion()
    throw newVersion.get() ? new ScreenMissing(m.newerVersion, { cause }) : new Unreachable(cause)
  }
}
