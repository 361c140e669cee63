import { Component, type ReactNode } from 'react'
import { BareErrorScreen } from './error-screen.tsx'

/** Says that something broke where the router can't: outside the screens, or when their program could not be fetched. */
export class LastResort extends Component<{ children: ReactNode }, { failed?: { error: unknown } }> {
  override state: { failed?: { error: unknown } } = {}

  static getDerivedStateFromError(error: unknown) {
    return { failed: { error } }
  }

  override render() {
    const { failed } = this.state
    return failed ? <BareErrorScreen error={failed.error} /> : this.props.children
  }
}
