import { fetchOrThrow } from '../../lib/http/fetch-or-throw.ts'
import { NetworkError, ScreenUnavailableError } from '../../lib/http/problem.ts'
import { atom } from '../../lib/state/atom.ts'
import { mutationMessages } from '../../messages/app/mutations.ts'

/** Whether the server has a newer app than this page. The page offers a reload, never forces it. */
export const isNewVersionAvailable = atom(false)

/** Compares the script of this page with the one that the server delivers now. */
export async function checkAppVersion(): Promise<void> {
  const ownScript = document.querySelector<HTMLScriptElement>('script[type="module"][src]')?.src
  if (!ownScript || isNewVersionAvailable.get()) return
  const page = await fetchOrThrow('/sign-in', { cache: 'no-store' })
  if (page.ok && !(await page.text()).includes(new URL(ownScript).pathname))
    isNewVersionAvailable.set(true)
}

/** Imports a chunk of the app. A failure becomes the error that explains it: version or network. */
export async function loadAppModule<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (cause) {
    await checkAppVersion()
    throw isNewVersionAvailable.get()
      ? new ScreenUnavailableError(mutationMessages.newerVersion, { cause })
      : new NetworkError(cause)
  }
}
