import { useState } from 'react'
import { showToast } from '../../data/app/toasts.ts'
import { uiMessages } from '../../messages/app/ui.ts'
import { announce } from '../feedback/announce.ts'
import { Button, type ButtonProps } from './button.tsx'

/** Copies a text to the clipboard; returns whether the browser did so. */
async function writeText(text: string): Promise<boolean> {
  try {
    // Without https there is no such clipboard, and a browser may refuse it.
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copySelected(text)
  }
}

/** Copies a text by a field in which it is selected, beside what has the focus: a dialog keeps that. */
function copySelected(text: string): boolean {
  const focused = document.activeElement
  const field = document.createElement('textarea')
  field.className = 'sr'
  field.value = text
  const around = focused?.closest('dialog, [role=dialog]') ?? document.body
  around.append(field)
  field.select()
  const isCopied = document.execCommand('copy')
  field.remove()
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true })
  return isCopied
}

/** Copies a text to the clipboard and announces it, or says that the browser refuses. */
export async function copyText(
  text: string,
  announcement: string = uiMessages.copied,
): Promise<boolean> {
  const isCopied = await writeText(text)
  if (isCopied) announce(announcement)
  else showToast({ text: uiMessages.notCopied, tone: 'trouble' })
  return isCopied
}

/** Copies a text and says so in a toast, which screen readers read as well. */
export async function copyWithToast(text: string, message: string): Promise<void> {
  const isCopied = await writeText(text)
  showToast(isCopied ? { text: message } : { text: uiMessages.notCopied, tone: 'trouble' })
}

const RESULT_SHOWN_MS = 2_000

interface CopyButtonProps extends Omit<ButtonProps, 'onCopy'> {
  text: string
  /** Called after the text was copied. */
  onCopy?: () => void
}

/** A button that copies a text and shows "Copied" for a moment. */
export function CopyButton({ text, onCopy, children, kind, ...rest }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    if (!(await copyText(text))) return
    setCopied(true)
    setTimeout(() => setCopied(false), RESULT_SHOWN_MS)
    onCopy?.()
  }
  return (
    <Button {...rest} {...(kind && { kind })} icon={isCopied ? 'check' : 'copy'} onClick={copy}>
      {isCopied ? uiMessages.copied : (children ?? uiMessages.copy)}
    </Button>
  )
}
