import { useLocation } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'

/** Returns the id of the comment in the address (`…#cmt_…`), or an empty string. */
export const useLinkedCommentId = (): string =>
  useLocation({ select: ({ hash }) => (hash.startsWith('cmt_') ? hash : '') })

/** Scrolls to the linked comment once, loading older entries until it appears. */
export function useScrollToLinkedComment(
  loaded: boolean,
  loadOlder: (() => void) | undefined,
): void {
  const linkedId = useLinkedCommentId()
  const scrolledTo = useRef('')
  useEffect(() => {
    if (linkedId === '' || scrolledTo.current === linkedId || !loaded) return
    const element = document.getElementById(linkedId)
    if (element) {
      scrolledTo.current = linkedId
      element.scrollIntoView({ block: 'center' })
    } else loadOlder?.()
  })
}
