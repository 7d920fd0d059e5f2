import {
  type RefObject,
  useEffect,
  useEffectEvent,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { flushSync } from 'react-dom'
import type { MarkdownProps } from './markdown.tsx'
import { createPlainField, type MarkdownField } from './markdown-field.ts'

type RichTextModule = typeof import('../lazy/rich-text-field.tsx')

let loaded: RichTextModule | undefined

async function loadRichText(): Promise<RichTextModule> {
  loaded ??= await import('../lazy/rich-text-field.tsx')
  return loaded
}

export interface WritingFieldProps {
  label: string
  /** The `data-does` that shortcuts find the field by. */
  does: string | undefined
  placeholder: string | undefined
  text: string
  selection: readonly [from: number, to: number]
  focus: boolean
  /** How people in the text are shown. */
  references: Pick<MarkdownProps, 'nameOf' | 'me'>
  /** Attributes for the list of suggestions. */
  aria: Readonly<Record<string, string>>
  onChange: (text: string) => void
  /** Called when the selection has changed, or the text around it. */
  onSelect: () => void
  ref: RefObject<MarkdownField | null>
}

/**
 * The field of the Markdown editor. Its code loads when somebody writes or there is a text to show;
 * until then, and where it cannot be loaded, a plain field takes the text, so that nobody waits for it.
 */
export function WritingField(props: WritingFieldProps) {
  const [rich, setRich] = useState(loaded)
  const [start, setStart] = useState({ selection: props.selection, focus: props.focus })
  const [isNeeded, setIsNeeded] = useState(props.focus || props.text !== '')
  const isComposing = useRef(false)
  const { ref } = props
  useEffect(() => {
    if (!isNeeded) return
    let isGone = false
    const replacePlain = (module: RichTextModule) => {
      const plain = ref.current
      if (isGone || !plain) return
      // A composition would end with its field.
      if (isComposing.current) {
        document.addEventListener('compositionend', () => setTimeout(replacePlain, 0, module), {
          once: true,
        })
        return
      }
      // At once, so that nothing is typed in between.
      flushSync(() => {
        setStart({ selection: plain.readSelection(), focus: plain.hasFocus() })
        setRich(module)
      })
    }
    // Without a network the plain field stays.
    if (!loaded) loadRichText().then(replacePlain, () => undefined)
    return () => {
      isGone = true
    }
  }, [ref, isNeeded])
  if (rich) return <rich.RichTextField {...props} {...start} />
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only follows what happens in its field
    <div
      onFocus={() => setIsNeeded(true)}
      onCompositionStart={() => (isComposing.current = true)}
      onCompositionEnd={() => (isComposing.current = false)}
    >
      <PlainField {...props} />
    </div>
  )
}

function PlainField(props: WritingFieldProps) {
  const { label, does, placeholder, text, selection, focus, aria, onChange, onSelect } = props
  const area = useRef<HTMLTextAreaElement>(null)
  const selectStart = useEffectEvent(() => area.current?.setSelectionRange(...selection))
  useImperativeHandle<MarkdownField | null, MarkdownField | null>(
    props.ref,
    () => area.current && createPlainField(area.current),
    [],
  )
  useLayoutEffect(() => void selectStart(), [])
  return (
    <textarea
      ref={area}
      className="field"
      data-does={does}
      aria-label={label}
      placeholder={placeholder}
      // biome-ignore lint/a11y/noAutofocus: where it is asked for, the editor was opened to write
      autoFocus={focus}
      value={text}
      {...aria}
      onChange={({ target }) => {
        onChange(target.value)
        onSelect()
      }}
      onSelect={onSelect}
    />
  )
}
