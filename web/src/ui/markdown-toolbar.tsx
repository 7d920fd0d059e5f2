import { type KeyboardEvent, type RefObject, useRef, useState } from 'react'
import { type Edit, linked, prefixed, wrapped } from '../lib/markdown-edit.ts'
import { m } from '../messages/ui.ts'
import { IconButton } from './button.tsx'
import type { IconName } from './icon.tsx'
import { keysText } from './keys.ts'
import { apply } from './text-edit.ts'

interface Tool {
  icon: IconName
  label: string
  key?: string
  edit: (text: string, start: number, end: number) => Edit
}

const around = (mark: string) => (text: string, start: number, end: number) =>
  wrapped(text, start, end, mark)
const before = (prefix: string) => (text: string, start: number, end: number) =>
  prefixed(text, start, end, prefix)

const TOOLS: Tool[] = [
  { icon: 'bold', label: m.bold, key: 'b', edit: around('**') },
  { icon: 'italic', label: m.italic, key: 'i', edit: around('_') },
  { icon: 'link', label: m.link, key: 'k', edit: linked },
  { icon: 'code', label: m.code, key: 'e', edit: around('`') },
  { icon: 'heading', label: m.heading, edit: before('## ') },
  { icon: 'quote', label: m.quote, edit: before('> ') },
  { icon: 'list', label: m.bullets, edit: before('- ') },
  { icon: 'check', label: m.boxes, edit: before('- [ ] ') },
]

/** The tool of Mod and a letter. */
export const toolOf = (key: string): Tool | undefined =>
  TOOLS.find((tool) => tool.key !== undefined && tool.key === key.toLowerCase())

interface Props {
  area: RefObject<HTMLTextAreaElement | null>
  previews: boolean
  onPreview: () => void
  onFiles?: (files: File[]) => void
}

/** Buttons for what Markdown can do; one stop for Tab, arrows within. */
export function MarkdownToolbar({ area, previews, onPreview, onFiles }: Props) {
  const bar = useRef<HTMLDivElement>(null)
  const files = useRef<HTMLInputElement>(null)
  const [at, setAt] = useState(0)
  const count = TOOLS.length + (onFiles ? 2 : 1)
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const next = (at + step + count) % count
    setAt(next)
    bar.current?.querySelectorAll('button')[next]?.focus()
  }
  const stop = (index: number) => ({
    tabIndex: index === at ? 0 : -1,
    onFocus: () => setAt(index),
  })
  const use = ({ edit }: Tool) => {
    if (!area.current) return
    const { value, selectionStart, selectionEnd } = area.current
    apply(area.current, edit(value, selectionStart, selectionEnd))
  }
  return (
    <div className="toolbar" role="toolbar" aria-label={m.formatting} ref={bar} onKeyDown={move}>
      {TOOLS.map((tool, index) => (
        <IconButton
          key={tool.icon}
          icon={tool.icon}
          label={tool.label}
          title={tool.key ? `${tool.label} (${keysText(`mod+${tool.key}`)})` : tool.label}
          {...stop(index)}
          onClick={() => use(tool)}
        />
      ))}
      {onFiles && (
        <>
          <IconButton
            icon="attach"
            label={m.attach}
            {...stop(TOOLS.length)}
            onClick={() => files.current?.click()}
          />
          <input
            ref={files}
            type="file"
            multiple
            hidden
            onChange={({ target }) => {
              onFiles([...(target.files ?? [])])
              target.value = ''
            }}
          />
        </>
      )}
      <IconButton
        icon="eye"
        label={m.preview}
        aria-pressed={previews}
        {...stop(count - 1)}
        onClick={onPreview}
      />
    </div>
  )
}
