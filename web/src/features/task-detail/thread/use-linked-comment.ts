import { useLocation } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import type { PendingComment } from '../../../data/resources/comments.ts'

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

/** Scrolls to a comment that the viewer has just sent: it may have its place out of sight. */
export function useScrollToSentComment(pending: readonly PendingComment[]): void {
  const [last] = pending.slice(-1)
  const scrolledTo = useRef(last?.key)
  useEffect(() => {
    if (last === undefined || scrolledTo.current === last.key) return
    scrolledTo.current = last.key
    document.querySelector(`[data-sending="${last.key}"]`)?.scrollIntoView({ block: 'nearest' })
  })
}
