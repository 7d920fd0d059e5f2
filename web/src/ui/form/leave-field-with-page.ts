/** Saves what is being typed into a field that is saved when it is left: a page that ends blurs none. */
function leaveField(): void {
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
}

// In the capture phase, before the mutations that are not stored yet are kept among the drafts.
for (const end of ['beforeunload', 'pagehide']) addEventListener(end, leaveField, { capture: true })
