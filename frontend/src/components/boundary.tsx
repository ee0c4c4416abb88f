// An error boundary: a page that throws shows its error, and the rest of the app keeps working.

import { Component, type ComponentChildren } from "preact";

import { t } from "../i18n";
import { Button } from "./button";

export class Boundary extends Component<{ children: ComponentChildren }, { error: Error | null }> {
  override state = { error: null as Error | null };

  static override getDerivedStateFromError(error: Error): { error: Error } {
    return { error };
  }

  override render(): ComponentChildren {
    if (!this.state.error) return this.props.children;
    return (
      <div class="failure" role="alert">
        <h1>{t("error.title")}</h1>
        <p>{t("error.page", { message: this.state.error.message })}</p>
        <Button label={t("retry")} onPress={() => this.setState({ error: null })} />
      </div>
    );
  }
}
