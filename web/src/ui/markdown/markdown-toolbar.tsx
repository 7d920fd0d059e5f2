import { type KeyboardEvent, type RefObject, useRef, useState } from 'react'
import {
  insertLink,
  type MarkdownEdit,
  toggleLinePrefix,
} from '../../lib/markdown/markdown-edit.ts'
import { type InlineMark, toggleMark } from '../../lib/markdown/toggle-mark.ts'
import { markdownMessages } from '../../messages/app/markdown.ts'
import { IconButton } from '../form/button.tsx'
import { formatShortcut } from '../keyboard/use-shortcuts.ts'
import type { IconName } from '../marks/icon.tsx'
import type { MarkdownField } from './markdown-field.ts'

interface FormattingTool {
  icon: IconName
  label: string
  key?: string
  edit: (text: string, start: number, end: number) => MarkdownEdit
}

const wrapWith = (mark: InlineMark) => (text: string, start: number, end: number) =>
  toggleMark(text, start, end, mark)
const prefixWith = (prefix: string) => (text: string, start: number, end: number) =>
  toggleLinePrefix(text, start, end, prefix)

const FORMATTING_TOOLS: FormattingTool[] = [
  { icon: 'bold', label: markdownMessages.bold, key: 'b', edit: wrapWith('**') },
  { icon: 'italic', label: markdownMessages.italic, key: 'i', edit: wrapWith('_') },
  { icon: 'link', label: markdownMessages.link, key: 'k', edit: insertLink },
  { icon: 'code', label: markdownMessages.code, key: 'e', edit: wrapWith('`') },
  { icon: 'heading', label: markdownMessages.heading, edit: prefixWith('## ') },
  { icon: 'quote', label: markdownMessages.quote, edit: prefixWith('> ') },
  { icon: 'list', label: markdownMessages.bullets, edit: prefixWith('- ') },
  { icon: 'check', label: markdownMessages.boxes, edit: prefixWith('- [ ] ') },
]

/** Finds the tool with the shortcut Mod + `key`. */
export const findFormattingTool = (key: string): FormattingTool | undefined =>
  FORMATTING_TOOLS.find((tool) => tool.key !== undefined && tool.key === key.toLowerCase())

interface MarkdownToolbarProps {
  field: RefObject<MarkdownField | null>
  onAttach: (() => void) | undefined
}

/** Formatting buttons: a single Tab stop, with arrow keys between them (roving tabindex). */
export function MarkdownToolbar({ field, onAttach }: MarkdownToolbarProps) {
  const toolbar = useRef<HTMLDivElement>(null)
  const [activeIndex, setActiveIndex] = useState(0)
  const buttonCount = FORMATTING_TOOLS.length + (onAttach ? 1 : 0)
  const moveFocus = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const next = (activeIndex + step + buttonCount) % buttonCount
    setActiveIndex(next)
    toolbar.current?.querySelectorAll('button')[next]?.focus()
  }
  const rovingTabStop = (index: number) => ({
    tabIndex: index === activeIndex ? 0 : -1,
    onFocus: () => setActiveIndex(index),
  })
  const applyTool = ({ edit }: FormattingTool) => {
    const { current } = field
    current?.edit(edit(current.readText(), ...current.readSelection()))
  }
  return (
    <div
      className="toolbar"
      role="toolbar"
      aria-label={markdownMessages.formatting}
      ref={toolbar}
      onKeyDown={moveFocus}
    >
      {FORMATTING_TOOLS.map((tool, index) => (
        <IconButton
          key={tool.icon}
          icon={tool.icon}
          label={tool.label}
          title={tool.key ? `${tool.label} (${formatShortcut(`mod+${tool.key}`)})` : tool.label}
          {...rovingTabStop(index)}
          onClick={() => applyTool(tool)}
        />
      ))}
      {onAttach && (
        <IconButton
          icon="attach"
          label={markdownMessages.attach}
          {...rovingTabStop(FORMATTING_TOOLS.length)}
          onClick={onAttach}
        />
      )}
    </div>
  )
}
