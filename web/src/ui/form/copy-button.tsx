import { useState } from 'react'
import { showToast } from '../../data/app/toasts.ts'
import { uiMessages } from '../../messages/app/ui.ts'
import { announce } from '../feedback/announce.ts'
import { Button, type ButtonProps } from './button.tsx'

/** Copies a text to the clipboard; returns false, and announces it, if the browser refuses. */
async function writeText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    announce(uiMessages.notCopied)
    return false
  }
}

/** Copies a text to the clipboard and announces it; returns false if the browser refuses. */
export async function copyText(
  text: string,
  announcement: string = uiMessages.copied,
): Promise<boolean> {
  const isCopied = await writeText(text)
  if (isCopied) announce(announcement)
  return isCopied
}

/** Copies a text and says so in a toast, which screen readers read as well. */
export async function copyWithToast(text: string, message: string): Promise<void> {
  if (await writeText(text)) showToast({ text: message })
}

const RESULT_SHOWN_MS = 2_000

interface CopyButtonProps extends Omit<ButtonProps, 'onCopy'> {
  text: string
  /** Called after the text was copied. */
  onCopy?: () => void
}

/** A button that copies a text and shows "Copied" for a moment. */
export function CopyButton({ text, onCopy, children, kind, ...rest }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<'copied' | 'refused'>()
  const copy = async () => {
    const isCopied = await copyText(text)
    setOutcome(isCopied ? 'copied' : 'refused')
    setTimeout(() => setOutcome(undefined), RESULT_SHOWN_MS)
    if (isCopied) onCopy?.()
  }
  return (
    <Button
      {...rest}
      {...(kind && { kind })}
      icon={outcome === 'copied' ? 'check' : 'copy'}
      onClick={copy}
    >
      {outcome === 'copied'
        ? uiMessages.copied
        : outcome === 'refused'
          ? uiMessages.notCopied
          : (children ?? uiMessages.copy)}
    </Button>
  )
}
