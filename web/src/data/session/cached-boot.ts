import type { Boot } from '#resources/web-app/boot/contract.ts'
import { readCached } from '../../lib/http/reply-cache.ts'

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
