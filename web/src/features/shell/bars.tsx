/** What has to be known above every screen: no network, a limit reached, another tab's workspace. */
export function Bars(_: { workspaceId: string }) {
  return null
}
