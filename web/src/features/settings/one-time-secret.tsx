import { useBlocker } from '@tanstack/react-router'
import { type ComponentProps, useEffect, useRef } from 'react'
import { SecretPanel } from '../../ui/layout/secret-panel.tsx'
import { openConfirmDialog } from '../../ui/overlays/dialog.tsx'
import { runAfterMenu } from '../../ui/overlays/overlay-stack.ts'

interface OneTimeSecretProps
  extends Omit<ComponentProps<typeof SecretPanel>, 'onDone' | 'onCopied'> {
  /** The confirmation to show before the person leaves without a copy. */
  loss: { title: string; text: string; action: string }
  onDone: () => void
}

/**
 * Shows a secret that the server never returns again. It takes the focus, and leaving it without a
 * copy requires a confirmation.
 */
export function OneTimeSecret({ loss, onDone, ...secret }: OneTimeSecretProps) {
  const isCopied = useRef(false)
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => box.current?.querySelector('button')?.focus(), [])
  const confirmLeaving = async () =>
    isCopied.current || (await openConfirmDialog({ ...loss, danger: true }))
  useBlocker({
    // A navigation within the same path keeps this component on the page.
    shouldBlockFn: async ({ current, next }) =>
      current.pathname !== next.pathname && !(await confirmLeaving()),
    enableBeforeUnload: () => !isCopied.current,
  })
  return (
    <div ref={box}>
      <SecretPanel
        {...secret}
        onCopied={() => {
          isCopied.current = true
        }}
        onDone={async () => {
          if (!(await confirmLeaving())) return
          const next = findControlAfter(box.current)
          onDone()
          runAfterMenu(() => next?.focus())
        }}
      />
    </div>
  )
}

/** The first control below the secret: that of what it belongs to, in the list. */
const findControlAfter = (box: Element | null): HTMLElement | undefined =>
  [...document.querySelectorAll<HTMLElement>('main :is(a[href], button, input, select)')].find(
    (control) =>
      box !== null &&
      !box.contains(control) &&
      (box.compareDocumentPosition(control) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0,
  )
