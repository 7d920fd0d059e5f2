const ANNOUNCE_DELAY_MS = 60

let region: HTMLElement | undefined
let pending: string[] = []

/** Announces a text to screen readers politely: they read it after their current speech. */
export function announce(text: string): void {
  if (pending.push(text) > 1) return
  if (!region?.isConnected) region = openRegion()
  region.textContent = ''
  const target = region
  // Screen readers announce changes of a live region, so it must exist and be empty beforehand.
  setTimeout(() => {
    target.textContent = pending.join('. ')
    pending = []
  }, ANNOUNCE_DELAY_MS)
}

function openRegion(): HTMLElement {
  const element = document.createElement('div')
  element.className = 'sr'
  element.setAttribute('role', 'status')
  element.setAttribute('aria-live', 'polite')
  // React Aria hides everything outside an open dialog except elements with this attribute.
  element.setAttribute('data-live-announcer', 'true')
  document.body.append(element)
  return element
}
