import { Component, type ErrorInfo, type ReactNode } from 'react'
import { ErrorMessage } from './error-message.tsx'

interface ErrorBoundaryProps {
  children: ReactNode
  /** A change clears the error, because the panel now shows something else. */
  resetKey?: string | number
}

interface ErrorBoundaryState {
  error: unknown
  lastResetKey: ErrorBoundaryProps['resetKey']
}

/** Confines a render error to its panel, which offers a retry; the rest of the page works on. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = {
    error: undefined,
    lastResetKey: this.props.resetKey,
  }

  static getDerivedStateFromError = (error: unknown): Partial<ErrorBoundaryState> => ({ error })

  static getDerivedStateFromProps = (
    { resetKey }: ErrorBoundaryProps,
    { lastResetKey }: ErrorBoundaryState,
  ): Partial<ErrorBoundaryState> | null =>
    resetKey === lastResetKey ? null : { error: undefined, lastResetKey: resetKey }

  override componentDidCatch(error: unknown, { componentStack }: ErrorInfo): void {
    reportError(new Error(`A panel crashed:${componentStack ?? ''}`, { cause: error }))
  }

  override render(): ReactNode {
    const { error } = this.state
    if (error === undefined) return this.props.children
    return <ErrorMessage error={error} onRetry={() => this.setState({ error: undefined })} />
  }
}
