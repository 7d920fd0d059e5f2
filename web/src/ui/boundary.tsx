import { Component, type ErrorInfo, type ReactNode } from 'react'
import { Trouble } from './trouble.tsx'

interface Props {
  children: ReactNode
  /** Something else is shown: what crashed before may be tried again. */
  resetKey?: string | number
}

interface State {
  error: unknown
  of: Props['resetKey']
}

/** Keeps a crash to its panel: the rest of the page works on, and the panel can be tried again. */
export class Boundary extends Component<Props, State> {
  override state: State = { error: undefined, of: this.props.resetKey }

  static getDerivedStateFromError = (error: unknown): Partial<State> => ({ error })

  static getDerivedStateFromProps = ({ resetKey }: Props, { of }: State): Partial<State> | null =>
    resetKey === of ? null : { error: undefined, of: resetKey }

  override componentDidCatch(error: unknown, { componentStack }: ErrorInfo): void {
    reportError(new Error(`A panel crashed:${componentStack ?? ''}`, { cause: error }))
  }

  override render(): ReactNode {
    const { error } = this.state
    if (error === undefined) return this.props.children
    return <Trouble error={error} onRetry={() => this.setState({ error: undefined })} />
  }
}
