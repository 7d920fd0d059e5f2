import '../styles/markdown.css'
import { lazy, type ReactNode, Suspense } from 'react'
import { Boundary } from './boundary.tsx'

export interface MarkdownProps {
  source: string
  /** A box of a task list was pressed: which, and the source with it ticked or not. */
  onToggle?: (index: number, next: string) => void
  /** Why boxes cannot be pressed. */
  boxesOff?: string | undefined
  /** The name of a person by id; undefined for one who is not known. */
  nameOf?: (user_id: string) => string | undefined
  /** The viewer's id: own mentions stand out. */
  me?: string
  /** What stands for a short id in the text, e.g. a link; undefined leaves it as it is. */
  task?: (short_id: string) => ReactNode | undefined
}

const load = () => import('./lazy/markdown.tsx')
const Rendered = lazy(() => load().then(({ RenderedMarkdown }) => ({ default: RenderedMarkdown })))

/** Loads what renders Markdown, e.g. while a task is being read. */
export const preloadMarkdown = (): void => void load().catch(() => undefined)

/** Markdown as text to read; until it can be rendered, and if it cannot, the source itself. */
export function Markdown({
  className = 'prose',
  ...props
}: MarkdownProps & { className?: string }) {
  return (
    <div className={className}>
      <Boundary resetKey={props.source}>
        <Suspense fallback={<p className="md-source">{props.source}</p>}>
          <Rendered {...props} />
        </Suspense>
      </Boundary>
    </div>
  )
}
