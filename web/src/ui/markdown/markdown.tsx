import './markdown.css'
import { lazy, type ReactNode, Suspense } from 'react'
import { withoutHtmlComments } from '#lib/html-to-markdown.ts'
import { ErrorBoundary } from '../feedback/error-boundary.tsx'

export interface MarkdownProps {
  source: string
  /** Called when a task list checkbox is pressed, with its index and the changed source. */
  onToggle?: (index: number, next: string) => void
  /** Why the checkboxes are disabled. */
  boxesOff?: string | undefined
  /** Returns the name of a user, or undefined for an unknown one. */
  nameOf?: (user_id: string) => string | undefined
  /** The viewer's id, to highlight mentions of the viewer. */
  me?: string
  /** Renders a short id in the text, e.g. as a link; undefined leaves the text as it is. */
  task?: (short_id: string) => ReactNode | undefined
}

const loadRenderer = () => import('../lazy/rendered-markdown.tsx')
const LazyRenderedMarkdown = lazy(() =>
  loadRenderer().then(({ RenderedMarkdown }) => ({ default: RenderedMarkdown })),
)

/** Starts loading the renderer, e.g. while a task is being fetched. */
export const preloadMarkdown = (): void => void loadRenderer().catch(() => undefined)

/** Renders Markdown; shows the source until the renderer is loaded. */
export function Markdown({
  className = 'prose',
  ...props
}: MarkdownProps & { className?: string }) {
  return (
    <div className={className}>
      <ErrorBoundary resetKey={props.source}>
        <Suspense fallback={<p className="md-source">{withoutHtmlComments(props.source)}</p>}>
          <LazyRenderedMarkdown {...props} />
        </Suspense>
      </ErrorBoundary>
    </div>
  )
}
