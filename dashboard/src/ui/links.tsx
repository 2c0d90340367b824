import {
  ActionIcon,
  type ActionIconProps,
  Anchor,
  type AnchorProps,
  Button,
  type ButtonProps,
  Menu,
  type MenuItemProps,
  NavLink,
  type NavLinkProps,
} from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import { forwardRef } from 'react';

/** Mantine's components as typed links of the router: `<TextLink to="/posts/$id" params={{ id }}>`. */

export const TextLink = createLink(
  forwardRef<HTMLAnchorElement, AnchorProps>(function TextAnchor(props, ref) {
    // As large as the text around it, unless told otherwise.
    return <Anchor ref={ref} inherit={props.size === undefined} {...props} />;
  }),
);

export const LinkButton = createLink(
  forwardRef<HTMLAnchorElement, ButtonProps>(function ButtonAnchor(props, ref) {
    return <Button component="a" ref={ref} {...props} />;
  }),
);

export const IconLink = createLink(
  forwardRef<HTMLAnchorElement, ActionIconProps & { 'aria-label': string }>(function IconAnchor(props, ref) {
    return <ActionIcon component="a" ref={ref} {...props} />;
  }),
);

export const NavItem = createLink(
  forwardRef<HTMLAnchorElement, NavLinkProps>(function NavAnchor(props, ref) {
    return <NavLink component="a" ref={ref} {...props} />;
  }),
);

export const MenuLink = createLink(
  forwardRef<HTMLAnchorElement, MenuItemProps>(function MenuAnchor(props, ref) {
    return <Menu.Item component="a" ref={ref} {...props} />;
  }),
);
