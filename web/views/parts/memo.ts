import { Component, type ComponentType, h } from "preact";

/** A component that re-renders only when one of its props changes. */
export function memo<P extends object>(inner: ComponentType<P>): ComponentType<P> {
  return class extends Component<P> {
    override shouldComponentUpdate(next: P) {
      const before = this.props as Record<string, unknown>;
      return Object.entries(next).some(([name, value]) => name !== "children" && before[name] !== value);
    }
    override render() {
      return h(inner as ComponentType<any>, this.props);
    }
  };
}
