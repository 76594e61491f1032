import { Component, type ComponentType, h } from "preact";

/** A component that re-renders only when one of its props, apart from its children, changes. */
export function memo<P extends object>(inner: ComponentType<P>): ComponentType<P> {
  return class extends Component<P> {
    override shouldComponentUpdate(nextProps: P) {
      const currentProps = this.props as Record<string, unknown>;
      return Object.entries(nextProps).some(([name, value]) => name !== "children" && currentProps[name] !== value);
    }
    override render() {
      return h(inner as ComponentType<object>, this.props);
    }
  };
}
