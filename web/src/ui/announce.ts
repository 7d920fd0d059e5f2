const WAIT_MS = 60

let region: HTMLElement | undefined
let pending: string[] = []

/** Tells a screen reader something that is only seen: politely, after what it is saying. */
export function announce(text: string): void {
  if (pending.push(text) > 1) return
  if (!region?.isConnected) region = openRegion()
  region.textContent = ''
  const here = region
  // A region speaks of what changes in it, so it has to be there, and empty, a moment before.
  setTimeout(() => {
    here.textContent = pending.join('. ')
    pending = []
  }, WAIT_MS)
}

function openRegion(): HTMLElement {
  const made = document.createElement('div')
  made.className = 'sr'
  made.setAttribute('role', 'status')
  made.setAttribute('aria-live', 'polite')
  // Dialogs hide everything outside of them but what is marked so.
  made.setAttribute('data-live-announcer', 'true')
  document.body.append(made)
  return made
}
