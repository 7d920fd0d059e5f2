import { useState } from 'react'
import { m } from '../messages/ui.ts'
import { announce } from './announce.ts'
import { Button, type ButtonProps } from './button.tsx'

/** Puts a text into the clipboard and says so; false if the browser refuses. */
export async function copyText(text: string, said: string = m.copied): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    announce(m.notCopied)
    return false
  }
  announce(said)
  return true
}

interface Props extends Omit<ButtonProps, 'onCopy'> {
  text: string
  /** Once it was copied. */
  onCopy?: () => void
}

/** A button that copies a text, and turns into "Copied" for a moment. */
export function Copy({ text, onCopy, children, kind, ...rest }: Props) {
  const [done, setDone] = useState<'copied' | 'refused'>()
  const copy = async () => {
    const copied = await copyText(text)
    setDone(copied ? 'copied' : 'refused')
    setTimeout(() => setDone(undefined), 2_000)
    if (copied) onCopy?.()
  }
  return (
    <Button
      {...rest}
      {...(kind && { kind })}
      icon={done === 'copied' ? 'check' : 'copy'}
      onClick={copy}
    >
      {done === 'copied' ? m.copied : done === 'refused' ? m.notCopied : (children ?? m.copy)}
    </Button>
  )
}
