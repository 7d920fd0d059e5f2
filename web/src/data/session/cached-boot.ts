import type { Boot } from '#resources/web-app/boot/contract.ts'
import { forgetReplyCacheOwner, readCached } from '../../lib/http/reply-cache.ts'

/** Where the boot data is; its cached reply has the same name. */
export const BOOT_URL = '/internal/boot'
const WORKSPACE_PATH = /^\/w\/([^/]+)/

/**
 * The boot data of an earlier page of this browser; undefined if there is none, or the page is to show
 * another workspace.
 */
export async function readCachedBoot(): Promise<Boot | undefined> {
  const cached = await readCached(BOOT_URL)
  const boot: Boot | undefined = cached && JSON.parse(cached.text)
  const [, workspace_id] = WORKSPACE_PATH.exec(location.pathname) ?? []
  return [undefined, boot?.session.workspace.id].includes(workspace_id) ? boot : undefined
}

/** A cached workspace may have led to another address. */
const openedAddress = globalThis.location?.href

/** Opens the page again as if the browser had nothing of it. */
export function reopenWithoutCache(): Promise<never> {
  forgetReplyCacheOwner()
  history.replaceState(null, '', openedAddress)
  return reloadPage()
}

/** Reloads the page. The promise never settles, so that callers do not go on meanwhile. */
export function reloadPage(): Promise<never> {
  location.reload()
  return new Promise(() => undefined)
}
