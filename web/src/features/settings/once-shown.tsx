import { useBlocker } from '@tanstack/react-router'
import { type ComponentProps, useEffect, useRef } from 'react'
import { confirm } from '../../ui/dialog.tsx'
import { Secret } from '../../ui/secret.tsx'

interface Props extends Omit<ComponentProps<typeof Secret>, 'onDone' | 'onCopied'> {
  /** What is asked before it is left uncopied. */
  loss: { title: string; text: string; action: string }
  onDone: () => void
}

/** A secret that no later reply holds: it has the focus, and leaving it uncopied asks first. */
export function OnceShown({ loss, onDone, ...secret }: Props) {
  const copied = useRef(false)
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => box.current?.querySelector('button')?.focus(), [])
  const mayGo = async () => copied.current || (await confirm({ ...loss, danger: true }))
  useBlocker({
    // Within the same screen it stays on the page.
    shouldBlockFn: async ({ current, next }) =>
      current.pathname !== next.pathname && !(await mayGo()),
    enableBeforeUnload: () => !copied.current,
  })
  return (
    <div ref={box}>
      <Secret
        {...secret}
        onCopied={() => {
          copied.current = true
        }}
        onDone={async () => {
          if (await mayGo()) onDone()
        }}
      />
    </div>
  )
}
