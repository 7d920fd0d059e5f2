import { type EditorView, WidgetType } from '@codemirror/view'
import { createRoot, type Root } from 'react-dom/client'
import { markdownMessages } from '../../messages/app/markdown.ts'
import type { PreviewReferences } from './live-preview.ts'
import { RenderedMarkdown } from './rendered-markdown.tsx'

/** The mark of an item of a bulleted list. */
export class BulletWidget extends WidgetType {
  override eq(): boolean {
    return true
  }

  toDOM(): HTMLElement {
    return createSpan('cm-marker', '•')
  }

  override ignoreEvent(): boolean {
    return false
  }
}

/** A checkbox of a task list, which can be pressed while one writes. */
export class CheckboxWidget extends WidgetType {
  readonly isChecked: boolean
  readonly label: string

  constructor(isChecked: boolean, label: string) {
    super()
    this.isChecked = isChecked
    this.label = label
  }

  override eq({ isChecked, label }: CheckboxWidget): boolean {
    return isChecked === this.isChecked && label === this.label
  }

  toDOM(view: EditorView): HTMLElement {
    const box = document.createElement('input')
    box.type = 'checkbox'
    box.checked = this.isChecked
    box.tabIndex = -1
    box.setAttribute('aria-label', this.label || markdownMessages.taskBox)
    // The field keeps the focus.
    box.addEventListener('mousedown', (event) => event.preventDefault())
    box.addEventListener('change', () => toggle(view, view.posAtDOM(box)))
    return box
  }

  override ignoreEvent(): boolean {
    return true
  }
}

function toggle({ state, dispatch }: EditorView, at: number): void {
  const line = state.doc.lineAt(at)
  const found = /\[([ \txX])\]/.exec(line.text.slice(at - line.from))
  if (!found) return
  const from = at + found.index + 1
  dispatch({ changes: { from, to: from + 1, insert: /x/i.test(found[1] ?? '') ? ' ' : 'x' } })
}

/** An attached image. */
export class ImageWidget extends WidgetType {
  readonly url: string
  readonly alt: string

  constructor(url: string, alt: string) {
    super()
    this.url = url
    this.alt = alt
  }

  override eq({ url, alt }: ImageWidget): boolean {
    return url === this.url && alt === this.alt
  }

  toDOM(view: EditorView): HTMLElement {
    const image = document.createElement('img')
    image.className = 'cm-picture'
    image.src = this.url
    image.alt = this.alt
    // Its height moves the lines below.
    image.addEventListener('load', () => view.requestMeasure())
    return image
  }

  override ignoreEvent(): boolean {
    return false
  }
}

/** A mentioned person. */
export class MentionWidget extends WidgetType {
  readonly name: string
  readonly isViewer: boolean

  constructor(id: string, { nameOf, me }: PreviewReferences) {
    super()
    this.name = nameOf?.(id) ?? markdownMessages.unknownPerson
    this.isViewer = id === me
  }

  override eq({ name, isViewer }: MentionWidget): boolean {
    return name === this.name && isViewer === this.isViewer
  }

  toDOM(): HTMLElement {
    return createSpan(this.isViewer ? 'mention me' : 'mention', `@${this.name}`)
  }

  override ignoreEvent(): boolean {
    return false
  }
}

const tableRoots = new WeakMap<HTMLElement, Root>()

/** A table as it will be read; a press on it leads to its source. */
export class TableWidget extends WidgetType {
  readonly source: string
  readonly references: PreviewReferences

  constructor(source: string, references: PreviewReferences) {
    super()
    this.source = source
    this.references = references
  }

  override eq({ source }: TableWidget): boolean {
    return source === this.source
  }

  toDOM(view: EditorView): HTMLElement {
    const container = document.createElement('div')
    container.className = 'prose cm-table'
    const root = createRoot(container)
    tableRoots.set(container, root)
    root.render(
      <div ref={() => view.requestMeasure()}>
        <RenderedMarkdown source={this.source} {...this.references} />
      </div>,
    )
    container.addEventListener('mousedown', (event) => {
      event.preventDefault()
      view.dispatch({ selection: { anchor: view.posAtDOM(container) } })
      view.focus()
    })
    container.addEventListener('click', (event) => event.preventDefault())
    return container
  }

  override destroy(container: HTMLElement): void {
    // React unmounts no root while it renders another one.
    setTimeout(() => tableRoots.get(container)?.unmount())
  }

  override ignoreEvent(): boolean {
    return true
  }
}

function createSpan(className: string, text: string): HTMLElement {
  const span = document.createElement('span')
  span.className = className
  span.textContent = text
  return span
}
